/** Reads multipart/form-data (RFC 7578) within limits. The only file that uses the parser. See decision 13. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { Failure } from '../../errors.ts';
import { headerOf, invalidMultipart, mediaType, type PartHeader } from './part-header.ts';
import { tooLarge } from './too-large.ts';

export type Bounds = {
  /** Names of the parts that are files. */
  readonly fileParts: readonly string[];
  readonly fields: number;
  readonly files: number;
  /** All text values together. */
  readonly textBytes: number;
  /** All file parts together, kept or not. */
  readonly fileBytes: number;
};

export type Multipart = {
  /** Text values by name, in the order in which they were sent. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Names of the file parts that were not expected. */
  readonly strayFiles: readonly string[];
};

type Bytes = AsyncIterable<Buffer>;
/** Called when a file part begins; answers what stores it, or undefined to discard its bytes. */
export type Keep = (part: PartHeader) => ((bytes: Bytes) => Promise<void>) | undefined;

/** The most bytes of the header of one part: a file name of 255 characters in percent encoding takes 3 KiB at most. */
const headerBytes = 8 * 1024;
const headerPairs = 20;
/** The most bytes of the text that RFC 2046 allows before the first part. */
const preambleBytes = 64 * 1024;
/** Characters, by RFC 2046 §5.1.1. The parser's search time grows with the length. */
const boundaryLength = 70;

/**
 * Reads the text parts, and passes the file parts to `keep` while they arrive. When the promise settles, no part is
 * being read any more and everything that `keep` started has ended. What follows the closing delimiter is not read.
 * Failure invalid_multipart | file_too_large, the error of `keep`, or the reason of `signal`.
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
  await eachPart(req, { ...bounds, count }, signal, async (header, part) => {
    const { name, isFile } = header;
    if (!isFile) {
      const value = await textOf(counted(part, count.text), name);
      fields.set(name, [...(fields.get(name) ?? []), value]);
      return;
    }
    const store = keep(header);
    if (!store) strayFiles.add(name);
    await (store ?? discard)(counted(part, count.file));
  });
  return { fields, strayFiles: [...strayFiles] };
};

type Take = (header: PartHeader, part: Readable) => Promise<void>;

/** Passes every part to `take`. The first failure, wherever it happens, ends the reading. */
const eachPart = async (
  req: IncomingMessage,
  { count, fileParts }: Pick<Bounds, 'fileParts'> & { readonly count: ReturnType<typeof counter> },
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
    // A part cut short is reported by the parser too, and one that was given up by its reader.
    part.on('error', () => {});
    count.part();
    part.once('header', (lines) => {
      const header = headerOf(lines, fileParts);
      count.header(header);
      taken.push(attempt(header, part));
    });
  });

  const goOn = () => req.resume();
  // The listeners above throw into `parser.write`, which ends the parsing of this chunk.
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
    // Only after a failure: when all went well, an empty part may still be about to end.
    if (broken.signal.aborted) for (const part of open) part.destroy();
    await Promise.all(taken);
    parser.destroy();
  }
  broken.signal.throwIfAborted();
};

/** Counts bytes and parts, and throws when one of the limits is exceeded. */
const counter = ({ fields, files, textBytes, fileBytes }: Bounds) => {
  const most = textBytes + fileBytes + preambleBytes + (fields + files + 1) * headerBytes;
  const read = { bytes: 0, fields: 0, files: 0, textBytes: 0, fileBytes: 0 };
  /** The bytes that had been read when the current header began; undefined outside of a header. */
  let headerFrom: number | undefined;
  const noHeader = () => invalidMultipart('a part has no header');
  return {
    chunk: ({ length }: Buffer): void => {
      if (
        read.fields + read.files === 0 &&
        headerFrom === undefined &&
        read.bytes > preambleBytes
      ) {
        throw invalidMultipart(`no part begins within the first ${preambleBytes} bytes`);
      }
      if (headerFrom !== undefined && read.bytes - headerFrom > headerBytes) {
        throw invalidMultipart(
          `expected part headers of at most ${headerBytes} bytes; got a longer one`,
        );
      }
      read.bytes += length;
      if (read.bytes > most) throw tooLarge('The body', most);
    },
    part: (): void => {
      if (headerFrom !== undefined) throw noHeader();
      headerFrom = read.bytes;
    },
    header: ({ isFile }: PartHeader): void => {
      headerFrom = undefined;
      read[isFile ? 'files' : 'fields'] += 1;
      if (read.fields > fields)
        throw invalidMultipart(`expected at most ${fields} text parts; got more`);
      if (read.files > files)
        throw invalidMultipart(`expected at most ${files} file parts; got more`);
    },
    text: ({ length }: Buffer): void => {
      read.textBytes += length;
      if (read.textBytes > textBytes) throw tooLarge('The text parts', textBytes);
    },
    file: ({ length }: Buffer): void => {
      read.fileBytes += length;
      if (read.fileBytes > fileBytes) throw tooLarge('A file', fileBytes);
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
    throw new Failure(
      'invalid_multipart',
      { reason: `the text of the part "${name}" is not UTF-8` },
      { cause },
    );
  }
};

const discard = async (bytes: Bytes): Promise<void> => {
  for await (const _ of bytes);
};

const boundaryOf = ({ headers }: IncomingMessage): string => {
  const boundary = mediaType(headers['content-type'] ?? '')?.params.get('boundary') ?? '';
  if (boundary !== '' && boundary.length <= boundaryLength) return boundary;
  const got = boundary === '' ? 'none' : boundary.length;
  throw invalidMultipart(
    `expected a boundary of 1 to ${boundaryLength} characters in Content-Type; got ${got}`,
  );
};
