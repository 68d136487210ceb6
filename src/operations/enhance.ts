import type { Config } from '../config.ts';
import { Failure } from '../errors.ts';
import { type Frame, type Size, scaled } from '../frame.ts';
import { decodeImage, encodeImage } from '../media/image/picture.ts';
import { decodeFailed } from '../media/outcome.ts';
import { checkFrames } from '../media/probe/limits.ts';
import { probeImage, probeVideo } from '../media/probe/probe.ts';
import { probeAudio } from '../media/probe/probe-audio.ts';
import { decodeVideo } from '../media/read/decode.ts';
import { encodeVideo } from '../media/write/encode.ts';
import { contentType } from '../media/write/output.ts';
import type { LipsyncModels } from '../triton/clients/lipsync.ts';
import type { Upscaler } from '../triton/clients/upscaler.ts';
import type { LipSyncOutcome } from './lip-sync/outcome.ts';
import type { LipsyncModel, LipsyncOptions } from './lip-sync/request.ts';
import { lipSync } from './lip-sync/run.ts';
import type { LipSyncTask } from './lip-sync/task.ts';
import type { Report } from './progress.ts';
import { upscaleImage } from './upscale/image.ts';
import { defaultFormat, type OutputFormat, type UpscaleOptions } from './upscale/request.ts';
import { upscaleVideo } from './upscale/video.ts';

/** What is known of a result besides its bytes. */
export type Outcome = {
  readonly outputSize: Size;
  readonly contentType: string;
  readonly frames?: number;
  readonly durationSeconds?: number;
  readonly fps?: number;
  /** Of lip sync, which has all of the above too. */
  readonly lipsync?: LipSyncOutcome['lipsync'];
};

/** The part of a job that the pixels depend on. */
export type Work = UpscaleWork | LipsyncWork;
type UpscaleWork = {
  readonly kind: 'upscale';
  readonly model: string;
  readonly model_version: string;
  readonly input: { readonly kind: 'image' | 'video' };
  readonly options: UpscaleOptions;
};
export type LipsyncWork = {
  readonly kind: 'lipsync';
  readonly model: LipsyncModel;
  readonly model_version: string;
  readonly input: { readonly kind: 'image' | 'video' };
  readonly options: LipsyncOptions;
};

/** The files of a job: the picture or clip, and for lip sync the new sound. */
export type Inputs = { readonly media: string; readonly audio?: string };

/** Where the result is to be, and a folder for what the job's next attempt need not do again. */
export type Outputs = { readonly target: string; readonly work: string };

export type Enhance = (
  work: Work,
  inputs: Inputs,
  outputs: Outputs,
  report: Report,
  signal: AbortSignal,
) => Promise<Outcome>;

type Parts = {
  readonly config: Config;
  readonly openUpscaler: (model: string) => Promise<Upscaler>;
  readonly openLipsync: (model: LipsyncModel) => Promise<LipsyncModels>;
};

/** File in, file out: the whole work of one job attempt. */
export const createEnhance =
  ({ config, openUpscaler, openLipsync }: Parts): Enhance =>
  async (work, inputs, outputs, report, signal) => {
    const how = { target: outputs.target, config, report, signal };
    const { kind } = work.input;
    if (work.kind === 'lipsync') {
      const models = await openLipsync(work.model);
      checkRelease(work, kind === 'image' ? models.portraitRelease : models.release);
      if (!inputs.audio) throw new Error('a lip sync came without its sound');
      const files = { media: inputs.media, audio: inputs.audio };
      const found = await probeBoth(kind, files, how);
      const task = { ...how, models, options: work.options, inputs: files, found };
      return lipSync({ ...task, work: outputs.work });
    }
    const upscaler = await openUpscaler(work.model);
    checkRelease(work, upscaler.release);
    const task = { ...how, options: work.options, path: inputs.media, upscaler };
    return kind === 'image' ? image(task) : video(task);
  };

const probeBoth = async (
  kind: 'image' | 'video',
  { media, audio }: LipSyncTask['inputs'],
  { config, report, signal }: Pick<LipSyncTask, 'config' | 'report' | 'signal'>,
): Promise<LipSyncTask['found']> => {
  report({ stage: 'probing', framesDone: 0, framesTotal: null });
  const { limits, probing } = config;
  const sound = await probeAudio(audio, probing.ffmpeg, limits.audio, signal, decodeFailed);
  if (kind === 'image') return { media: await probeImage(media), audio: sound };
  const info = await probeVideo(media, probing.ffmpeg, limits.lipsync, signal, decodeFailed);
  checkFrames(info.frames, limits.lipsync);
  return { media: info, audio: sound };
};

/** The price, the cache key and the answer name the release that the caller was promised. */
const checkRelease = ({ model, model_version }: Work, release: string): void => {
  if (release === model_version) return;
  const reason = `${model_version} was replaced by ${release}; send the request again`;
  throw new Failure('inference_failed', { model, reason });
};

type Task = {
  readonly options: UpscaleOptions;
  readonly path: string;
  readonly target: string;
  readonly upscaler: Upscaler;
  readonly config: Config;
  readonly report: Report;
  readonly signal: AbortSignal;
};

const image = async (task: Task): Promise<Outcome> => {
  const { options, path, target, upscaler, config, report, signal } = task;
  report({ stage: 'decoding', framesDone: 0, framesTotal: null });
  const info = await probeImage(path);
  const picture = await decodeImage(path, info);
  const { framesInFlight } = config.triton;
  const enhanced = await upscaleImage(
    picture,
    options.scale,
    upscaler,
    framesInFlight,
    report,
    signal,
  );
  const format = imageFormat(options.output_format);
  await encodeImage(enhanced, { path, info }, target, format, options.output ?? {});
  signal.throwIfAborted();
  return { outputSize: enhanced, contentType: contentType(format) };
};

const imageFormat = (format: OutputFormat = defaultFormat.image) => {
  if (format === 'mp4')
    throw new Failure('validation_failed', { detail: 'An image cannot become an mp4.' });
  return format;
};

const video = async (task: Task): Promise<Outcome> => {
  const { options, path, target, upscaler, config, report, signal } = task;
  report({ stage: 'probing', framesDone: 0, framesTotal: null });
  const info = await probeVideo(
    path,
    config.probing.ffmpeg,
    config.limits.video,
    signal,
    decodeFailed,
  );
  checkFrames(info.frames, config.limits.video);
  const decoded = decodeVideo(path, info, config.ffmpeg, signal);
  const enhanced = upscaleVideo(
    decoded,
    options.scale,
    upscaler,
    config.triton.framesInFlight,
    signal,
  );
  const watched = reported(enhanced, info.frames, report);
  const done = await encodeVideo(
    watched,
    { path, info },
    target,
    options.output ?? {},
    config.ffmpeg,
    signal,
  );
  return { outputSize: scaled(info.size, options.scale), contentType: contentType('mp4'), ...done };
};

async function* reported(frames: AsyncIterable<Frame>, framesTotal: number, report: Report) {
  let framesDone = 0;
  report({ stage: 'inference', framesDone, framesTotal });
  for await (const frame of frames) {
    yield frame;
    framesDone += 1;
    report({ stage: 'inference', framesDone, framesTotal: Math.max(framesTotal, framesDone) });
  }
  report({ stage: 'encoding', framesDone, framesTotal: framesDone });
}
