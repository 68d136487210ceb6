/** What every operation does with the media that a request names, before a job exists. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../config.ts';
import type { JobInput } from '../contract/job.ts';
import type { MediaKind } from '../contract/media.ts';
import { Failure } from '../errors.ts';
import { sizeText } from '../frame.ts';
import type { MediaInfo } from '../media/info.ts';
import type { IncomingFile } from './body/body.ts';
import type { Incoming } from './body/incoming.ts';
import type { Caller, Parts } from './parts.ts';
import type { Context } from './route.ts';
import { whileWanted } from './while-wanted.ts';

/** A checked request and the files that came with it. */
export type Wanted<Body> = {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly body: Body;
  readonly files: Readonly<Record<string, IncomingFile>>;
} & Incoming;

/** One source of a request: a file part of the body, or a URL. */
type Source = {
  readonly name: string;
  readonly part: IncomingFile | undefined;
  readonly url: string | undefined;
  readonly mostBytes: number;
};

/** The source as a file that this request owns: a part of the body, an earlier upload, or fetched. */
export const takeSource = async (
  { name, part, url, mostBytes }: Source,
  { caller, folder, admit }: Pick<Wanted<unknown>, 'caller' | 'folder' | 'admit'>,
  parts: Parts,
): Promise<IncomingFile> => {
  if (part) return part;
  if (!url) throw new Error('the route lets no request without its sources pass');
  const target = join(await folder(), name);
  const upload = await resolveUpload(caller.account, url, parts);
  if (upload) {
    await rename(upload.path, target);
    return { path: target, bytes: upload.bytes, sha256: upload.sha256 };
  }
  const { config, media, draining } = parts;
  return media.fetchTo(url, target, config.fetch, mostBytes, draining, admit);
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

/** Looks at a file when it is the caller's turn: one who hangs up before waits no longer. */
export const inTurn = <T>(
  { ctx, caller }: Pick<Wanted<unknown>, 'ctx' | 'caller'>,
  { looks, draining }: Parts,
  look: () => Promise<T>,
): Promise<T> => whileWanted(ctx, draining, (signal) => looks.take(caller.account, signal, look));

/** By the kind that the content turned out to be. */
export const checkBytes = (bytes: number, kind: MediaKind, limits: Limits): void => {
  const limit = limits[kind].bytes;
  if (bytes <= limit) return;
  throw new Failure('file_too_large', { what: titles[kind], limit_bytes: limit, came: bytes });
};

const titles: Readonly<Record<MediaKind, string>> = {
  image: 'An image',
  video: 'A video',
  audio: 'An audio file',
};

/** What a job tells of its picture or clip. */
export const inputOf = (
  { bytes, sha256 }: IncomingFile,
  info: MediaInfo,
  content_type: string,
): JobInput => ({
  ...{ bytes, sha256, content_type },
  kind: info.kind,
  size: sizeText(info.size),
  ...(info.kind === 'video' && {
    duration_seconds: info.durationSeconds,
    frames: info.frames,
    fps: info.fps,
  }),
});

/** What callers see as model_version. Failure model_unavailable. */
export const releaseOf = async (
  model: string,
  kind: MediaInfo['kind'],
  { models }: Parts,
): Promise<string> => {
  const state = (await models.describe()).find(({ id }) => id === model);
  const release = state?.ready ? state.releases[kind] : null;
  if (release === null) throw new Failure('model_unavailable', { model });
  return release;
};
