import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import type { StoredFile } from '../../storage/stored-file.ts';
import { type Admit, writeHashed } from '../../storage/write-all.ts';
import type { Context } from '../context.ts';
import { shorten } from '../shorten.ts';
import { readJson } from './json-body.ts';
import { type Keep, readMultipart } from './multipart.ts';
import { receive } from './receive.ts';
import { tooLarge } from './too-large.ts';

export type Body = {
  readonly fields: Readonly<Record<string, unknown>>;
  /** True for a multipart body, whose fields are all text. */
  readonly isText: boolean;
  /** The file parts, each complete on disk. */
  readonly files: Readonly<Record<string, StoredFile>>;
  /** Names of file parts that were not expected or were sent more than once. */
  readonly strayFiles: readonly string[];
};

type Expected = {
  /** Names of the file parts; empty for a body that can only be JSON. */
  readonly parts: readonly string[];
  readonly json: boolean;
  readonly folder: () => Promise<string>;
  /** Called with the number of bytes before they are written to a file; see `incoming.ts`. */
  readonly admit: Admit;
  readonly maxFileBytes: number;
  /** The most bytes of a decompressed JSON body, and of all text parts of a multipart body together. */
  readonly maxTextBytes: number;
  /** A body that delivers less than 4 KiB in this time is given up with request_timeout. */
  readonly stallMs: number;
};

/** What curl does without an option for the header: the most frequent mistake of callers. */
const asCurlSends =
  'which curl sends with -d unless -H "Content-Type: application/json" tells otherwise';

/** Text parts of one multipart body; no request needs as many. */
const maxFields = 50;

/** Reads the body. Files are written to disk while they arrive, so that no file is ever held in memory. */
export const readBody = async (ctx: Context, expected: Expected): Promise<Body> => {
  if (isEmpty(ctx)) return { fields: {}, isText: false, files: {}, strayFiles: [] };
  const types = [
    ...(expected.json ? ['application/json'] : []),
    ...(expected.parts.length > 0 ? ['multipart/form-data'] : []),
  ];
  const type = ctx.is(types);
  if (!type) {
    const told = shorten(ctx.get('content-type')) || 'no Content-Type';
    const came = ctx.is('urlencoded') ? `${told}, ${asCurlSends}` : told;
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

/** Content-Length. Not `ctx.request.length`, which keeps the last 32 bits only: 4 GiB would be an empty body. */
const announced = (ctx: Context): number => Number(ctx.get('content-length'));

/** A form may be marked with others, such as "utf-8", which change nothing. */
const COMPRESSIONS = new Set(['gzip', 'x-gzip', 'deflate', 'compress', 'br', 'zstd']);

const readParts = async (ctx: Context, expected: Expected): Promise<Body> => {
  const { parts, admit, maxFileBytes, maxTextBytes, stallMs } = expected;
  if (announced(ctx) > maxFileBytes + maxTextBytes) {
    throw tooLarge('A file', maxFileBytes);
  }
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (COMPRESSIONS.has(encoding)) {
    throw new Failure('unsupported_media_type', {
      expected: 'a form that is not compressed',
      came: `the Content-Encoding "${shorten(encoding)}"`,
    });
  }
  const folder = await expected.folder();
  const files: { readonly name: string; readonly file: StoredFile }[] = [];
  let begun = 0;
  const keep: Keep = ({ name, isUnnamed }) => {
    if (!parts.includes(name)) return undefined;
    begun += 1;
    // A path of its own: only at its end is it known whether a part was filled in, or is one of two.
    const path = join(folder, `${name}-${begun}`);
    return async (bytes) => {
      const file = await writeHashed(path, bytes, { admit });
      if (file.bytes > 0 || !isUnnamed) files.push({ name, file });
    };
  };
  // Beside each expected file may be one that was not filled in; one file more, so that an unexpected one is told by its name.
  const bounds = {
    fileParts: parts,
    fields: maxFields,
    files: 2 * parts.length + 1,
    textBytes: maxTextBytes,
    fileBytes: maxFileBytes,
  };
  const { fields, strayFiles } = await receive(ctx, stallMs, (signal) =>
    readMultipart(ctx.req, bounds, keep, signal),
  );
  const sent = (name: string) => files.filter((one) => one.name === name).length;
  return {
    // A field that was sent more than once is an array, which its schema refuses.
    fields: Object.fromEntries(
      [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    ),
    isText: true,
    files: Object.fromEntries(
      files.filter(({ name }) => sent(name) === 1).map(({ name, file }) => [name, file]),
    ),
    strayFiles: [...strayFiles, ...parts.filter((name) => sent(name) > 1)],
  };
};
