/** What the codes of an image mean, as the file states it: the chunk cICP of a PNG, the box `colr` of an AVIF or HEIC. */
import { type FileWindow, openFileWindow } from '../file-window.ts';
import type { Hdr, SourceFormat } from '../info.ts';
import { boxBytes } from '../iso-box.ts';
import { pngChunks } from './image-parts.ts';

/** By their numbers in ITU-T H.273. Primaries of HDR that are none of these, or not stated, count as those of BT.2020. */
const transfers: Readonly<Record<number, Hdr['transfer']>> = { 16: 'pq', 18: 'hlg' };
const allPrimaries: Readonly<Record<number, Hdr['primaries']>> = { 1: 'bt709', 12: 'p3' };

/** Transfers that are sRGB's or near it, and none stated. */
const USUAL: readonly number[] = [1, 2, 6, 13];
const DISPLAY_P3 = 12;

/** hdr: undefined where the image is not in HDR. p3: whether the codes are those of Display P3. */
type Codes = { readonly hdr?: Hdr | undefined; readonly p3?: true };

/** What the picture that is shown says. A gain map, as of phones, is another item and says nothing. */
export const codesOf = async (path: string, format: SourceFormat): Promise<Codes> => {
  if (format !== 'png' && format !== 'avif' && format !== 'heic') return {};
  const file = await openFileWindow(path);
  try {
    const stated = await (format === 'png' ? statedByPng(file) : statedByHeif(file));
    if (!stated) return {};
    const transfer = transfers[stated.transfer];
    if (transfer)
      return { hdr: { transfer, primaries: allPrimaries[stated.primaries] ?? 'bt2020' } };
    const isP3 = stated.primaries === DISPLAY_P3 && USUAL.includes(stated.transfer);
    return isP3 ? { p3: true } : {};
  } finally {
    await file.close();
  }
};

type Stated = { readonly primaries: number; readonly transfer: number };

/** Primaries, transfer, matrix and range, a byte each. */
const statedByPng = async (file: FileWindow): Promise<Stated | undefined> => {
  for await (const { at, type, bytes } of pngChunks(file)) {
    if (type === 'IDAT') return undefined;
    if (type !== 'cICP' || bytes !== 4) continue;
    const [primaries = 0, transfer = 0] = await file.read(at + 8, 4);
    return { primaries, transfer };
  }
  return undefined;
};

type Box = { readonly type: string; readonly from: number; readonly to: number };
type Span = Pick<Box, 'from' | 'to'>;

/** That of the primary item; of a picture of tiles, which may say it instead, that of its first tile (ISO 23008-12, 6.5, 9.3). */
const statedByHeif = async (file: FileWindow): Promise<Stated | undefined> => {
  const meta = await firstOf(file, { from: 0, to: file.size }, 'meta');
  const content = meta && { from: meta.from + 4, to: meta.to };
  const properties = await firstOf(file, content, 'iprp');
  const primary = await firstOf(file, content, 'pitm');
  const associations = await firstOf(file, properties, 'ipma');
  const container = await firstOf(file, properties, 'ipco');
  if (!primary || !associations || !container) return undefined;

  const { version, next } = await numbersIn(file, primary);
  const item = next(version === 0 ? 2 : 4);
  const owned = await ownedProperties(file, associations);
  const stated = await nclxOf(file, container, owned.get(item));
  const references = await firstOf(file, content, 'iref');
  if (stated || !references) return stated;
  return nclxOf(file, container, owned.get(await firstTile(file, references, item)));
};

/** The boxes in a span, heads left out of what they span. */
async function* boxesIn(file: FileWindow, { from, to }: Span): AsyncGenerator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const head = Buffer.concat([await file.read(at, Math.min(16, to - at))], 16);
    const length = boxBytes(head) || to - at;
    if (length < 8) return;
    const end = Math.min(at + length, to);
    const headBytes = head.readUInt32BE(0) === 1 ? 16 : 8;
    yield { type: head.toString('latin1', 4, 8), from: at + headBytes, to: end };
    at = end;
  }
}

const firstOf = async (
  file: FileWindow,
  span: Span | undefined,
  type: string,
): Promise<Box | undefined> => {
  if (!span) return undefined;
  for await (const box of boxesIn(file, span)) if (box.type === type) return box;
  return undefined;
};

/** The window's own length; boxes of numbers are far shorter. */
const MOST_BYTES = 64 * 1024;

/** The version and flags of a full box, and the numbers behind them in their order, 0 beyond its end. */
const numbersIn = async (file: FileWindow, { from, to }: Span) => {
  const length = Math.min(to - from, MOST_BYTES);
  const bytes = Buffer.concat([await file.read(from, length)], Math.max(length, 4));
  let at = 4;
  const next = (size: number): number => {
    at += size;
    return at <= length ? bytes.readUIntBE(at - size, size) : 0;
  };
  return {
    version: bytes.readUInt8(0),
    flags: bytes.readUInt8(3),
    next,
    isOver: () => at >= length,
  };
};

/** The places of each item's properties, counted from 1. The top bit of each says that a reader must know it. */
const ownedProperties = async (file: FileWindow, box: Box) => {
  const { version, flags, next, isOver } = await numbersIn(file, box);
  const [size, mask] = flags & 1 ? ([2, 0x7fff] as const) : ([1, 0x7f] as const);
  const owned = new Map<number, readonly number[]>();
  for (let left = next(4); left > 0 && !isOver(); left -= 1) {
    const item = next(version === 0 ? 2 : 4);
    owned.set(
      item,
      Array.from({ length: next(1) }, () => next(size) & mask),
    );
  }
  return owned;
};

/** What the first of these that is a `colr` of the kind `nclx` says: primaries, transfer and matrix, 16 bits each. */
const nclxOf = async (
  file: FileWindow,
  container: Box,
  owned: readonly number[] = [],
): Promise<Stated | undefined> => {
  let place = 0;
  for await (const { type, from, to } of boxesIn(file, container)) {
    place += 1;
    if (type !== 'colr' || !owned.includes(place) || to - from < 8) continue;
    const head = await file.read(from, 8);
    if (head.toString('latin1', 0, 4) === 'nclx')
      return { primaries: head.readUInt16BE(4), transfer: head.readUInt16BE(6) };
  }
  return undefined;
};

/** The first of those that an item is put together from: a box `dimg` has its number, how many there are, and theirs. */
const firstTile = async (file: FileWindow, references: Box, item: number): Promise<number> => {
  const { version } = await numbersIn(file, references);
  const size = version === 0 ? 2 : 4;
  for await (const { type, from, to } of boxesIn(file, {
    ...references,
    from: references.from + 4,
  })) {
    if (type !== 'dimg' || to - from < 2 * size + 2) continue;
    const head = await file.read(from, 2 * size + 2);
    if (head.readUIntBE(0, size) === item) return head.readUIntBE(size + 2, size);
  }
  return 0;
};
