import { errors } from 'formidable';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { Failure } from '../errors.ts';
import type { Admit } from '../write-all.ts';
import type { Context } from './route.ts';

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
};

/** Room for a speaker's box in each frame of five minutes. */
const maxJsonBytes = 512 * 1024;
const maxTextBytes = maxJsonBytes;
const stallMs = 60_000;

/** Reads the body, files to disk while they arrive. Nothing that is refused here was held in memory. */
export const readBody = async (ctx: Context, expected: Expected): Promise<Body> => {
  if (isEmpty(ctx)) return { fields: {}, isText: false, files: {}, strayFiles: [] };
  const types = [
    ...(expected.json ? ['application/json'] : []),
    ...(expected.parts.length > 0 ? ['multipart/form-data'] : []),
  ];
  const type = ctx.is(types);
  if (!type) {
    const came = ctx.get('content-type') || 'of no stated type';
    throw new Failure('unsupported_media_type', { expected: types.join(' or '), came });
  }
  return type === 'application/json' ? readJson(ctx) : readMultipart(ctx, expected);
};

const isEmpty = (ctx: Context): boolean =>
  ctx.get('transfer-encoding') === '' && (ctx.request.length ?? 0) === 0;

const readJson = async (ctx: Context): Promise<Body> => {
  const parse = koaBody({ text: false, urlencoded: false, jsonLimit: maxJsonBytes });
  await receive(ctx, parse, (error) => {
    const { status, message } = Thrown.parse(error);
    if (status === 413) return tooLarge('A JSON body', maxJsonBytes);
    if (status === 415) {
      return new Failure('unsupported_media_type', {
        expected: 'a JSON body in utf-8, plain or compressed with gzip or deflate',
        came: message,
      });
    }
    return new Failure('invalid_json', { reason: message }, { cause: error });
  });
  const fields = z.record(z.string(), z.unknown()).safeParse(ctx.request.body);
  if (!fields.success) {
    throw new Failure(
      'validation_failed',
      {},
      {
        faults: [{ pointer: '', code: 'invalid_type', detail: 'Expected a JSON object.' }],
      },
    );
  }
  return { fields: fields.data, isText: false, files: {}, strayFiles: [] };
};

const readMultipart = async (ctx: Context, expected: Expected): Promise<Body> => {
  const { parts, maxFileBytes } = expected;
  if ((ctx.request.length ?? 0) > maxFileBytes + maxTextBytes) throw fileTooLarge(maxFileBytes);
  const stray = new Set<string>();
  const parse = koaBody({
    json: false,
    text: false,
    urlencoded: false,
    multipart: true,
    formidable: {
      uploadDir: await expected.folder(),
      hashAlgorithm: 'sha256',
      maxFields: 50,
      maxFieldsSize: maxTextBytes,
      maxFiles: parts.length + 1,
      // Only the total is checked while bytes arrive; the size of one file, when it has come.
      maxTotalFileSize: maxFileBytes,
      maxFileSize: maxFileBytes,
      allowEmptyFiles: true,
      minFileSize: 0,
      onPart: (part, handle) => {
        // formidable takes a part without Content-Type for text and any other for a file;
        // clients leave it out for files and send it with JSON text, and the file name is what tells.
        const isFile = part.originalFilename !== null;
        part.mimetype = isFile ? (part.mimetype ?? 'application/octet-stream') : null;
        handle(part);
      },
      filter: ({ name }) => {
        const known = name !== null && parts.includes(name);
        if (!known) stray.add(name ?? '');
        return known;
      },
    },
  });
  await receive(ctx, parse, (error) => multipartFailure(error, maxFileBytes));
  const files: Record<string, IncomingFile> = {};
  for (const [name, file] of Object.entries(ctx.request.files ?? {})) {
    if (Array.isArray(file)) stray.add(name);
    else if (!file.hash) throw new Error(`the file part "${name}" came without its hash`);
    else files[name] = { path: file.filepath, bytes: file.size, sha256: file.hash };
  }
  const fields = z.record(z.string(), z.unknown()).parse(ctx.request.body);
  return { fields, isText: true, files, strayFiles: [...stray] };
};

/** Runs a koa-body parser; a body that stalls is given up. */
const receive = async (
  ctx: Context,
  parse: ReturnType<typeof koaBody>,
  failureOf: (error: unknown) => Failure,
): Promise<void> => {
  // A parser that starts on a request that has ended already would wait for ever.
  if (ctx.req.destroyed) throw failureOf(new Error('the connection was closed'));
  if (ctx.get('expect') !== '') ctx.res.writeContinue();
  const giveUp = () => ctx.req.destroy();
  ctx.req.socket.setTimeout(stallMs, giveUp);
  try {
    await parse(ctx, async () => undefined);
  } catch (error) {
    throw failureOf(error);
  } finally {
    ctx.req.socket.setTimeout(0, giveUp);
  }
};

const Thrown = z.object({ status: z.number().optional(), message: z.string() });
const FormidableError = z.object({
  code: z.number(),
  httpCode: z.number(),
  message: z.string(),
});

const multipartFailure = (error: unknown, maxFileBytes: number): Failure => {
  const known = FormidableError.safeParse(error);
  if (!known.success) return new Failure('internal_error', {}, { cause: error });
  const { code, message } = known.data;
  if (code === errors.biggerThanTotalMaxFileSize || code === errors.biggerThanMaxFileSize) {
    return fileTooLarge(maxFileBytes);
  }
  if (code === errors.maxFieldsSizeExceeded) return tooLarge('The text parts', maxTextBytes);
  return new Failure('invalid_multipart', { reason: message }, { cause: error });
};

const fileTooLarge = (limit: number) => tooLarge('A file', limit);
const tooLarge = (what: string, limit_bytes: number) =>
  new Failure('file_too_large', { what, limit_bytes, came: 'more' });
