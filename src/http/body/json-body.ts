import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';
import { shorten } from '../shorten.ts';
import { tooLarge } from './too-large.ts';

/**
 * The JSON object of a body, plain or compressed, of at most `limit` bytes after decompression.
 * Failure invalid_json | file_too_large | unsupported_media_type | validation_failed, or the reason of `signal`.
 */
export const readJson = async (
  ctx: Context,
  limit: number,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  const encoding = ctx.get('content-encoding').toLowerCase() || 'identity';
  if (!['identity', 'gzip', 'deflate'].includes(encoding)) {
    throw new Failure('unsupported_media_type', {
      expected: 'a JSON body in UTF-8, plain or compressed with gzip or deflate',
      came: `the Content-Encoding "${shorten(encoding)}"`,
    });
  }
  const read = encoding === 'identity' ? readPlain(ctx, limit) : readCompressed(ctx.req, limit);
  const value = await unlessAborted(read, signal);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  const got = Array.isArray(value) ? 'an array' : JSON.stringify(value);
  const detail = `Expected a JSON object; got ${shorten(got)}.`;
  const fault = { pointer: '', code: 'invalid_type', detail };
  throw new Failure('validation_failed', {}, { faults: [fault] });
};

/** One for each limit: koa-body checks its options for longer than it parses a small body. */
const plain = new Map<number, ReturnType<typeof koaBody>>();

const readPlain = async (ctx: Context, limit: number): Promise<unknown> => {
  const parse = plain.get(limit) ?? koaBody({ text: false, urlencoded: false, jsonLimit: limit });
  plain.set(limit, parse);
  try {
    await parse(ctx, async () => undefined);
  } catch (error) {
    const { status, message } = Thrown.parse(error);
    const reason = /only supports object/.test(message) ? 'expected an object' : message;
    throw status === 413 ? tooLarge('A JSON body', limit) : broken(reason, error);
  }
  return ctx.request.body;
};

/**
 * Not by koa-body, which waits for ever for a compressed body whose caller disconnected. The body is collected first
 * and then decompressed in one call that stops at the limit.
 */
const readCompressed = async (req: IncomingMessage, limit: number): Promise<unknown> => {
  try {
    const bytes = await inflate(await collect(req, limit), { maxOutputLength: limit });
    return JSON.parse(bytes.toString('utf8'), refusePrototype);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = Thrown.parse(error);
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge('A JSON body', limit) : broken(message, error);
  }
};

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(unzip);

const collect = async (req: IncomingMessage, limit: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open for the answer to a body that is too large.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge('A JSON body', limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The same refusal as koa-body's for a plain body. */
const refusePrototype = (key: string, value: unknown): unknown => {
  if (key === '__proto__') throw new SyntaxError('Object contains forbidden prototype property');
  return value;
};

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
  ]);

const Thrown = z.object({
  status: z.number().optional(),
  code: z.string().optional(),
  message: z.string(),
});

const broken = (reason: string, cause: unknown): Failure =>
  new Failure('invalid_json', { reason: shorten(reason) }, { cause });
