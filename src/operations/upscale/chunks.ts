/** A long video is cut at key frames; each chunk is decoded, enlarged and encoded by itself, by any worker, and all are joined. */
import { writeFile } from 'node:fs/promises';
import { Failure } from '../../errors.ts';
import { encodePart, joinVideo, type VideoSource } from '../../media/write/encode.ts';
import { type AnyFrame, type Encoded, encodedOf } from '../../media/write/encoder.ts';
import { type Checkpoints, openCheckpoints } from '../../storage/checkpoints.ts';
import { type ChunkFiles, openChunkFiles } from '../chunk-files.ts';
import type { OnFrames } from '../sharing.ts';
import { calmingOf } from './calm.ts';
import { type Cleaning, cleaningOf } from './cleaning.ts';
import { type Span, seekTo, spansOf } from './cuts.ts';
import { type FramesMemory, openFramesMemory } from './realtime.ts';
import { areSeamless, type Edges, framesOfSpan } from './span-frames.ts';
import type { UpscaleHelp, UpscaleTask } from './task.ts';
import { enlargedVideo } from './video.ts';

type Facts = Edges & { readonly frames: number };
type Plan = { readonly spans: readonly Span[]; readonly cleaning: Cleaning };
type Cut = Plan & { readonly files: ChunkFiles<Facts> };

/** Checkpoints: the plan that the chunks are made by, and the mark of a video that is to be done in one go. */
const PLAN = 'plan.json';
const UNCUT = 'uncut';

/**
 * The video of all chunks, written to the task's target. Null for one that is too short to be cut, and for one whose chunks,
 * decoded each from its own place in the file, turn out not to be what the whole would have been.
 */
export const upscaleInChunks = async (
  task: UpscaleTask,
  source: VideoSource,
): Promise<Encoded | null> => {
  const { info } = source;
  const { target, work, config, report, share, signal } = task;
  const spans = spansOf(info, config.upscale.chunkSeconds);
  if (spans.length === 1) return null;
  const checkpoints = await openCheckpoints(work, originOf(task));
  if (await checkpoints.has(UNCUT)) return null;
  const plan = (await planOf(checkpoints)) ?? (await makePlan(task, source, spans, checkpoints));
  const cut = cutBy(plan, checkpoints);
  const missing = await cut.files.missing();
  const before = framesOf(await factsOf(cut, (chunk) => !missing.includes(chunk)));
  const onFrames = (done: number) => {
    const framesDone = before + done;
    report({ stage: 'inference', framesDone, framesTotal: Math.max(info.frames, framesDone) });
  };
  onFrames(0);
  const memory = openFramesMemory();
  await share({
    missing,
    onFrames,
    make: (chunk, tell) => makeChunk(task, cut, chunk, tell, memory),
  });

  const facts = await factsOf(cut, () => true);
  const frames = framesOf(facts);
  const start = facts[0]?.first?.time ?? 0;
  if (!areSeamless(facts) || 2 * frames < info.frames || frames > info.frames) {
    await checkpoints.put(UNCUT, (path) => writeFile(path, ''));
    return null;
  }
  report({ stage: 'encoding', framesDone: frames, framesTotal: frames });
  const parts = await Promise.all(
    facts.map(async ({ first, end }, chunk) => ({
      path: await cut.files.path(chunk),
      seconds: end - (first?.time ?? 0),
    })),
  );
  await joinVideo(parts, { source, start, target, ffmpeg: config.ffmpeg, signal });
  return encodedOf(frames, (facts.at(-1)?.end ?? 0) - start);
};

/** Does one chunk for the attempt that has cut the video. */
export const helpUpscale = async (task: UpscaleHelp): Promise<void> => {
  const checkpoints = await openCheckpoints(task.work, originOf(task));
  const plan = await planOf(checkpoints);
  if (!plan) throw new Error('the video was not cut by this release with these settings');
  const cut = cutBy(plan, checkpoints);
  await makeChunk(task, cut, task.chunk, task.onFrames, openFramesMemory());
};

/** To be raised when a checkpoint's content changes its meaning. */
const CHECKPOINT_FORMAT = 4;

const originOf = ({ models, options, config }: UpscaleTask | UpscaleHelp): unknown => [
  ...[CHECKPOINT_FORMAT, models.version, options, config.upscale.chunkSeconds],
  config.ffmpeg.preset,
];

/** Null where the video was not cut yet. */
const planOf = async (checkpoints: Checkpoints): Promise<Plan | null> => {
  const text = await checkpoints.read(PLAN);
  return text === null ? null : JSON.parse(text);
};

const makePlan = async (
  task: UpscaleTask,
  { info }: VideoSource,
  spans: readonly Span[],
  checkpoints: Checkpoints,
): Promise<Plan> => {
  const plan = { spans, cleaning: await cleaningOf(task, info) };
  await checkpoints.put(PLAN, (path) => writeFile(path, JSON.stringify(plan)));
  return plan;
};

const cutBy = (plan: Plan, checkpoints: Checkpoints): Cut => ({
  ...plan,
  files: openChunkFiles(checkpoints, plan.spans.length),
});

const factsOf = ({ spans, files }: Cut, wanted: (chunk: number) => boolean): Promise<Facts[]> =>
  Promise.all([...spans.keys()].filter(wanted).map((chunk) => files.about(chunk)));

const framesOf = (facts: readonly Facts[]): number =>
  facts.reduce((sum, { frames }) => sum + frames, 0);

const makeChunk = async (
  task: UpscaleTask | UpscaleHelp,
  { spans, cleaning, files }: Cut,
  chunk: number,
  onFrames: OnFrames,
  memory: FramesMemory,
): Promise<void> => {
  const { config, found: info, options, signal } = task;
  const span = spans[chunk];
  if (!span || info.kind !== 'video') throw new Error(`there is no chunk ${chunk}`);
  const { ffmpeg } = config;
  const edges: Edges = { first: null, next: null, end: 0 };
  const enhanced = enlargedVideo(task, info, {
    from: seekTo(span, info, cleaning.filters),
    cleaning,
    memory,
    pick: (frames) => framesOfSpan(frames, span, info, edges),
  });
  const encoding = { output: options.output ?? {}, filters: calmingOf(options) };
  await files.put(chunk, async (target) => {
    try {
      const told = counted(enhanced, onFrames);
      const { frames } = await encodePart(told, {
        format: info,
        target,
        ...encoding,
        ffmpeg,
        signal,
      });
      return { ...edges, frames };
    } catch (error) {
      if (signal.aborted || edges.first !== null || !isWithoutPictures(error)) throw error;
      await writeFile(target, '');
      return { ...edges, frames: 0 };
    }
  });
};

/** Nothing could be decoded from there. Whether that is the video's fault is decided by decoding it from its start. */
const isWithoutPictures = (error: unknown): boolean =>
  error instanceof Failure && ['media_unreadable', 'encode_failed'].includes(error.code);

async function* counted(frames: AsyncIterable<AnyFrame>, onFrames: OnFrames) {
  let done = 0;
  for await (const frame of frames) {
    yield frame;
    done += 1;
    onFrames(done);
  }
}
