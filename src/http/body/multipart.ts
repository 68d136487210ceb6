/** Reads multipart/form-data (RFC 7578) within bounds. The only file that knows the parser. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { Failure } from '../../errors.ts';
import { headerOf, invalidMultipart, mediaType, type PartHeader } from './part-header.ts';

export type Bounds = {
  readonly fields: number;
  readonly files: number;
  /** Of all text values together, and so of each. */
  readonly textBytes: number;
  /** Of all file parts together, kept or not. */
  readonly fileBytes: number;
};

export type Multipart = {
  /** Text values by name, in the order in which they came. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Names of the file parts that nobody wanted. */
  readonly strayFiles: readonly string[];
};

type Bytes = AsyncIterable<Buffer>;
/** Asked when a file part begins; undefined: nobody wants it and its bytes are thrown away. */
export type Keep = (name: string) => ((bytes: Bytes) => Promise<void>) | undefined;

/** Of the header of one part: a file name of 255 characters in percent encoding fits in well. */
const headerBytes = 8 * 1024;
const headerPairs = 20;
/** Nothing has to come before the first part; RFC 2046 lets a sentence stand there. */
const preambleBytes = 64 * 1024;
/** RFC 2046 §5.1.1. The parser's search takes longer the longer a boundary is. */
const boundaryLength = 70;

/**
 * Reads the text parts, and hands the file parts to `keep` while they arrive. When this is settled, well or badly, no
 * part is being read any more and what `keep` began has ended. What follows the closing delimiter is left unread.
 * Failure invalid_multipart | file_too_large, what `keep` failed with, or the reason of `signal`.
 */
export const readMultipart = async (
  req: IncomingMessage,
  bounds: Bounds,
  keep: Keep,
  signal: AbortSignal,
): Promise<Multipart> => {
  const count = counter(bounds);
  const fields = new Map<string, string[]>();
  const strayFiles = new Set<string>();
  await eachPart(req, count, signal, async ({ name, isFile }, part) => {
    if (!isFile) {
      const value = await textOf(counted(part, count.text), name);
      fields.set(name, [...(fields.get(name) ?? []), value]);
      return;
    }
    const store = keep(name);
    if (!store) strayFiles.add(name);
    await (store ?? discard)(counted(part, count.file));
  });
  return { fields, strayFiles: [...strayFiles] };
};

type Take = (header: PartHeader, part: Readable) => Promise<void>;

/** Gives every part to `take`. The first failure, of whatever, ends all of it. */
const eachPart = async (
  req: IncomingMessage,
  count: ReturnType<typeof counter>,
  signal: AbortSignal,
  take: Take,
): Promise<void> => {
  const limits = { maxHeaderPairs: headerPairs, maxHeaderSize: headerBytes };
  const parser = new Dicer({ boundary: boundaryOf(req), ...limits });
  const broken = new AbortController();
  const fail = (error: unknown): void => broken.abort(error);
  const open = new Set<Readable>();
  const taken: Promise<void>[] = [];

  const attempt = async (header: PartHeader, part: Readable): Promise<void> => {
    open.add(part);
    try {
      await take(header, part);
    } catch (error) {
      fail(error);
    } finally {
      open.delete(part);
    }
  };
  parser.on('part', (part) => {
    // Of a part that is cut short the parser tells as well, and of one that was given up its reader.
    part.on('error', () => {});
    count.part();
    part.once('header', (lines) => {
      const header = headerOf(lines);
      count.header(header);
      taken.push(attempt(header, part));
    });
  });

  const goOn = () => req.resume();
  // What the listeners above throw ends here, and with it the parser's work on the rest of the chunk.
  const feed = (chunk: Buffer) => {
    try {
      count.chunk(chunk);
      if (parser.write(chunk)) return;
      req.pause();
      parser.once('drain', goOn);
    } catch (error) {
      fail(error);
    }
  };
  const end = () => parser.end();
  const close = () => {
    if (!req.readableEnded) fail(invalidMultipart('the connection was closed before its end'));
  };
  const giveUp = () => fail(signal.reason);
  try {
    await new Promise<void>((resolve, reject) => {
      broken.signal.addEventListener('abort', () => reject(broken.signal.reason));
      signal.addEventListener('abort', giveUp);
      parser.on('error', () => fail(invalidMultipart('it ends before its closing delimiter')));
      parser.once('finish', resolve);
      req.on('data', feed).on('end', end).on('close', close);
    });
    count.end();
  } catch (error) {
    fail(error);
  } finally {
    req.off('data', feed).off('end', end).off('close', close).pause();
    parser.off('drain', goOn);
    signal.removeEventListener('abort', giveUp);
    // An empty part may still be about to end when the parser has finished.
    if (broken.signal.aborted) for (const part of open) part.destroy();
    await Promise.all(taken);
    parser.destroy();
  }
  broken.signal.throwIfAborted();
};

/** Throws when a bound is passed. */
const counter = ({ fields, files, textBytes, fileBytes }: Bounds) => {
  const most = textBytes + fileBytes + preambleBytes + (fields + files + 1) * headerBytes;
  const came = { bytes: 0, fields: 0, files: 0, textBytes: 0, fileBytes: 0 };
  /** How much had come when the header that is being read began. */
  let headerFrom: number | undefined;
  const noHeader = () => invalidMultipart('a part has no header');
  return {
    chunk: ({ length }: Buffer): void => {
      if (
        came.fields + came.files === 0 &&
        headerFrom === undefined &&
        came.bytes > preambleBytes
      ) {
        throw invalidMultipart('no part begins where the first is expected');
      }
      if (headerFrom !== undefined && came.bytes - headerFrom > headerBytes) {
        throw invalidMultipart(`the header of a part has more than ${headerBytes} bytes`);
      }
      came.bytes += length;
      if (came.bytes > most) throw tooLarge('The body', most);
    },
    part: (): void => {
      if (headerFrom !== undefined) throw noHeader();
      headerFrom = came.bytes;
    },
    header: ({ isFile }: PartHeader): void => {
      headerFrom = undefined;
      came[isFile ? 'files' : 'fields'] += 1;
      if (came.fields > fields) throw invalidMultipart(`more than ${fields} text parts came`);
      if (came.files > files) throw invalidMultipart(`more than ${files} file parts came`);
    },
    text: ({ length }: Buffer): void => {
      came.textBytes += length;
      if (came.textBytes > textBytes) throw tooLarge('The text parts', textBytes);
    },
    file: ({ length }: Buffer): void => {
      came.fileBytes += length;
      if (came.fileBytes > fileBytes) throw tooLarge('A file', fileBytes);
    },
    end: (): void => {
      if (headerFrom !== undefined) throw noHeader();
    },
  };
};

async function* counted(part: Readable, count: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of part) {
    count(chunk);
    yield chunk;
  }
}

const textOf = async (bytes: Bytes, name: string): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new Failure('invalid_multipart', { reason: `"${name}" is not UTF-8` }, { cause });
  }
};

const discard = async (bytes: Bytes): Promise<void> => {
  for await (const _ of bytes);
};

const boundaryOf = ({ headers }: IncomingMessage): string => {
  const boundary = mediaType(headers['content-type'] ?? '')?.params.get('boundary') ?? '';
  if (boundary !== '' && boundary.length <= boundaryLength) return boundary;
  const came = boundary === '' ? 'none' : `one of ${boundary.length}`;
  throw invalidMultipart(
    `expected a boundary of 1 to ${boundaryLength} characters in Content-Type; ${came} came`,
  );
};

export const tooLarge = (what: string, limit_bytes: number): Failure =>
  new Failure('file_too_large', { what, limit_bytes, came: 'more' });
