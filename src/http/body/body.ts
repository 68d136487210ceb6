import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import { type Admit, writeAll } from '../../storage/write-all.ts';
import type { Context } from '../route.ts';
import { readJson } from './json-body.ts';
import { type Keep, readMultipart, tooLarge } from './multipart.ts';
import { receive } from './receive.ts';
import { shorten } from './shorten.ts';

/** A file part, complete on disk. */
export type IncomingFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
};

export type Body = {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the fields came as text, of a multipart body. */
  readonly isText: boolean;
  readonly files: Readonly<Record<string, IncomingFile>>;
  /** Names of file parts that came and are not expected, or came twice; their bytes were not kept. */
  readonly strayFiles: readonly string[];
};

type Expected = {
  /** Names of the file parts; none: the body is JSON only. */
  readonly parts: readonly string[];
  readonly json: boolean;
  readonly folder: () => Promise<string>;
  /** Asked before so many bytes more of a file are written; see `incoming.ts`. */
  readonly admit: Admit;
  readonly maxFileBytes: number;
  /** Of a JSON body when it is inflated, and of all text parts of a multipart body. */
  readonly maxTextBytes: number;
  /** A body that brings next to nothing for so long is given up. */
  readonly stallMs: number;
};

/** More than any request has; the parts that are too many are told as such, not read. */
const maxFields = 50;

/** Reads the body, files to disk while they arrive. Nothing that is refused here was held in memory. */
export const readBody = async (ctx: Context, expected: Expected): Promise<Body> => {
  if (isEmpty(ctx)) return { fields: {}, isText: false, files: {}, strayFiles: [] };
  const types = [
    ...(expected.json ? ['application/json'] : []),
    ...(expected.parts.length > 0 ? ['multipart/form-data'] : []),
  ];
  const type = ctx.is(types);
  if (!type) {
    const came = shorten(ctx.get('content-type')) || 'of no stated type';
    throw new Failure('unsupported_media_type', { expected: types.join(' or '), came });
  }
  if (type === 'multipart/form-data') return readParts(ctx, expected);
  const { maxTextBytes, stallMs } = expected;
  if (announced(ctx) > maxTextBytes) throw tooLarge('A JSON body', maxTextBytes);
  const fields = await receive(ctx, stallMs, (signal) => readJson(ctx, maxTextBytes, signal));
  return { fields, isText: false, files: {}, strayFiles: [] };
};

const isEmpty = (ctx: Context): boolean =>
  ctx.get('transfer-encoding') === '' && announced(ctx) === 0;

/** Not `ctx.request.length`, which keeps the last 32 bits only: 4 GB would be an empty body. */
const announced = (ctx: Context): number => Number(ctx.get('content-length'));

const readParts = async (ctx: Context, expected: Expected): Promise<Body> => {
  const { parts, admit, maxFileBytes, maxTextBytes, stallMs } = expected;
  if (announced(ctx) > maxFileBytes + maxTextBytes) {
    throw tooLarge('A file', maxFileBytes);
  }
  const folder = await expected.folder();
  const files = new Map<string, IncomingFile>();
  const begun = new Set<string>();
  const twice = new Set<string>();
  const keep: Keep = (name) => {
    if (!parts.includes(name)) return undefined;
    if (begun.has(name)) {
      twice.add(name);
      return undefined;
    }
    begun.add(name);
    return async (bytes) => {
      files.set(name, await store(join(folder, name), bytes, admit));
    };
  };
  // One file more than is known, so that a stray one is told by its name.
  const bounds = {
    ...{ fields: maxFields, files: parts.length + 1 },
    ...{ textBytes: maxTextBytes, fileBytes: maxFileBytes },
  };
  const { fields, strayFiles } = await receive(ctx, stallMs, (signal) =>
    readMultipart(ctx.req, bounds, keep, signal),
  );
  for (const name of twice) files.delete(name);
  return {
    // A field that came more than once is a list, which its schema refuses.
    fields: Object.fromEntries(
      [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    ),
    isText: true,
    files: Object.fromEntries(files),
    strayFiles,
  };
};

/** What is told of a file is told of the bytes that the disk took. Failure storage_full | storage_failed. */
const store = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  admit: Admit,
): Promise<IncomingFile> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const hashed = async function* () {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await writeAll(path, hashed(), { admit });
  return { path, bytes, sha256: hash.digest('hex') };
};
