import { Readable } from 'node:stream';
import parseRange from 'range-parser';
import { Failure } from '../../errors.ts';
import type { Range } from '../../storage/store.ts';
import type { Context } from '../context.ts';

type Served = {
  readonly bytes: number;
  readonly read: (range?: Range) => Promise<Readable>;
  /** An address where the caller gets it without this service; null: there is none. */
  readonly link: (disposition: string) => Promise<string | null>;
  readonly name: string;
  readonly sha256: string;
  readonly contentType: string;
  readonly expires_at: number;
  /** After this long without reading, the caller's connection is closed, as it keeps the file open. */
  readonly stallMs: number;
};

/**
 * Answers with a file, or with the part of it that Range asks for (RFC 9110 §13 and §14). A request for several
 * ranges gets the whole file. Where the file has a link, a GET is sent there; what is there knows ranges too.
 * Failure range_not_satisfiable.
 */
export const serveFile = async (ctx: Context, file: Served): Promise<Readable | string | null> => {
  ctx.set({ ETag: `"${file.sha256}"`, 'Accept-Ranges': 'bytes' });
  // A caller that already has the file gets 304, whatever range it asks for (RFC 9110 §13.2.2).
  const isFresh = ctx.fresh;
  const range = isFresh ? undefined : rangeOf(ctx, file);
  if (range === 'outside') throw new Failure('range_not_satisfiable', { bytes: file.bytes });
  ctx.attachment(file.name);
  ctx.set({
    'Content-Type': file.contentType,
    'Cache-Control': `private, immutable, max-age=${Math.floor((file.expires_at - Date.now()) / 1000)}`,
  });
  if (isFresh) {
    ctx.status = 304;
    return null;
  }
  const isHead = ctx.method === 'HEAD';
  const link = isHead ? null : await file.link(ctx.response.get('Content-Disposition'));
  if (link !== null) return redirect(ctx, link);
  // A HEAD is answered without asking the storage for bytes that nobody reads.
  const content = isHead ? Readable.from([]) : await opened(ctx, file, range);
  ctx.res.setTimeout(file.stallMs, () => ctx.res.destroy());
  if (range === undefined) {
    ctx.length = file.bytes;
    return content;
  }
  ctx.status = 206;
  ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  ctx.length = range.end - range.start + 1;
  return content;
};

/** Its content; where that fails, the answer no longer says that it is the file. */
const opened = async (ctx: Context, { read }: Served, range?: Range): Promise<Readable> => {
  try {
    return await read(range);
  } catch (error) {
    for (const name of ['Accept-Ranges', 'Content-Disposition', 'ETag']) ctx.remove(name);
    ctx.set('Cache-Control', 'private, no-store');
    throw error;
  }
};

/** The address is good for a short time only, so the answer is not to be kept. */
const redirect = (ctx: Context, link: string): string => {
  ctx.remove('Content-Disposition');
  ctx.set({ Location: link, 'Cache-Control': 'private, no-store' });
  ctx.status = 302;
  return '';
};

const rangeOf = (ctx: Context, { bytes, sha256 }: Served) => {
  const asked = ctx.get('range');
  const ifRange = ctx.get('if-range');
  // If-Range needs the strong ETag (RFC 9110 §13.1.5); our answers have no Last-Modified.
  if (!/^bytes=[\d\s,-]+$/.test(asked)) return undefined;
  if (ifRange !== '' && ifRange !== `"${sha256}"`) return undefined;
  const ranges = parseRange(bytes, asked, { combine: true });
  if (ranges === -1) return 'outside';
  return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
};
