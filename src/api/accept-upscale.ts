import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../config.ts';
import type { Estimate } from '../contract/credits.ts';
import type { JobInput } from '../contract/job.ts';
import type { UpscaleOptions, UpscaleRequest } from '../contract/upscale.ts';
import { quote, type Work } from '../credits/price.ts';
import { Failure } from '../errors.ts';
import { scaled, sizeText } from '../frame.ts';
import type { Claim } from '../jobs/idempotency.ts';
import { type Submitted, submit } from '../jobs/submit.ts';
import type { MediaInfo } from '../media/info.ts';
import type { IncomingFile } from './body.ts';
import type { Caller, Parts } from './parts.ts';
import { settleOptions } from './upscale-options.ts';

export type Wanted = {
  readonly caller: Caller;
  readonly body: UpscaleRequest;
  readonly files: Readonly<Record<string, IncomingFile>>;
  readonly folder: () => Promise<string>;
};

/** Everything that can be refused is refused here, before a job exists and credits are held. */
export const acceptUpscale = async (
  wanted: Wanted,
  requestId: string,
  idempotency: Claim | undefined,
  parts: Parts,
): Promise<Submitted> => {
  const { options, modelVersion, media, work } = await prepare(wanted, parts);
  const { account } = wanted.caller;
  const request = { account, requestId, options, modelVersion, media, work };
  return submit(parts, { ...request, ...(idempotency && { idempotency }) });
};

/** The price of the same request, at the account's tier of now. */
export const estimateUpscale = async (wanted: Wanted, parts: Parts): Promise<Estimate> => {
  const { options, modelVersion, media, work, info } = await prepare(wanted, parts);
  const { available, month } = await parts.ledger.balance(wanted.caller.account);
  const { credits, lines } = quote(work, month.used, parts.config.prices);
  return {
    credits,
    lines: [...lines],
    available_credits: available,
    model: options.model,
    model_version: modelVersion,
    input_size: media.size,
    output_size: sizeText(scaled(info.size, options.scale)),
    ...(work.seconds !== undefined && { duration_seconds: work.seconds }),
  };
};

type Prepared = {
  readonly options: UpscaleOptions;
  readonly modelVersion: string;
  readonly media: JobInput & { readonly path: string };
  readonly work: Work;
  readonly info: MediaInfo;
};

const prepare = async (wanted: Wanted, parts: Parts): Promise<Prepared> => {
  const { config, media, draining } = parts;
  const file = await takeSource(wanted, parts);
  const type = await media.identify(file.path);
  checkBytes(file.bytes, type.kind, config.limits);
  const options = settleOptions(wanted.body, type.kind);
  const info =
    type.kind === 'image'
      ? await media.probeImage(file.path)
      : await media.probeVideo(file.path, config.ffmpeg, config.limits.video, draining);
  media.checkLimits(info, config.limits, options.scale, options.output_format);
  const modelVersion = await releaseOf(options.model, parts);
  const size = scaled(info.size, options.scale);
  return {
    options,
    modelVersion,
    info,
    media: { ...file, ...inputOf(info), content_type: type.mime },
    work: {
      model: options.model,
      outputPixels: size.width * size.height,
      ...(info.kind === 'video' && { seconds: info.durationSeconds }),
    },
  };
};

/** The media as a file that this request owns: a part of the body, an earlier upload, or fetched. */
const takeSource = async (wanted: Wanted, parts: Parts): Promise<IncomingFile> => {
  const { files, body, folder } = wanted;
  const part = files.image ?? files.video;
  if (part) return part;
  const url = body.image_url ?? body.video_url;
  if (!url) throw new Error('the route lets no request without a source pass');
  const target = join(await folder(), 'source');
  const upload = await resolveUpload(wanted.caller.account, url, parts);
  if (upload) {
    await rename(upload.path, target);
    return { path: target, bytes: upload.bytes, sha256: upload.sha256 };
  }
  const { config, media, draining } = parts;
  const most = Math.max(config.limits.image.bytes, config.limits.video.bytes);
  return media.fetchTo(url, target, config.fetch, most, draining);
};

const resolveUpload = async (account: string, url: string, { uploads }: Parts) => {
  try {
    return await uploads.resolve(account, url);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    // It is the named media that is missing, not the resource that was asked for.
    throw new Failure(
      'url_fetch_failed',
      { url, reason: 'there is no such upload' },
      { cause: error },
    );
  }
};

/** By the kind that the content turned out to be. */
export const checkBytes = (bytes: number, kind: MediaInfo['kind'], limits: Limits): void => {
  const limit = limits[kind].bytes;
  if (bytes <= limit) return;
  const what = kind === 'image' ? 'An image' : 'A video';
  throw new Failure('file_too_large', { what, limit_bytes: limit, came: bytes });
};

const inputOf = (info: MediaInfo) => ({
  kind: info.kind,
  size: sizeText(info.size),
  ...(info.kind === 'video' && {
    duration_seconds: info.durationSeconds,
    frames: info.frames,
    fps: info.fps,
  }),
});

const releaseOf = async (model: string, { models }: Parts): Promise<string> => {
  const state = (await models.describe()).find(({ id }) => id === model);
  if (!state?.ready || state.release === null) throw new Failure('model_unavailable', { model });
  return state.release;
};
