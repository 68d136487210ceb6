/** Parts of a clip, each an MP4 of its own, that are joined without encoding again. */
import { type FileHandle, open } from 'node:fs/promises';
import { boxBytes } from './iso-box.ts';

/** A file of `encodePart`, and for how long it is shown: whole ticks of the clip's clock. */
export type EncodedPart = { readonly path: string; readonly seconds: number };

/**
 * Input arguments for a list of parts on standard input. The pictures of all parts are decoded with the parameter sets of
 * the first, so these must be the same.
 */
export const partsInput = [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'concat,mov,mp4,m4a,3gp,3g2,mj2'],
  ...['-f', 'concat', '-safe', '0', '-auto_convert', '0', '-i', 'pipe:0'],
];

/** Each part begins where the one before it ends. Microseconds are exact enough: no clock of `encode.ts` ticks faster. */
export const listOf = (parts: readonly EncodedPart[]): string => {
  let end = 0;
  const lines = ['ffconcat version 1.0'];
  for (const { path, seconds } of parts) {
    const shown = Math.round((end + seconds) * 1e6) - Math.round(end * 1e6);
    end += seconds;
    // Without the scheme the path would be read relative to the pipe's.
    lines.push(`file 'file:${path.replaceAll("'", "'\\''")}'`, `duration ${shown / 1e6}`);
  }
  return `${lines.join('\n')}\n`;
};

/** Throws where a part has other parameter sets (SPS and PPS) than the first. */
export const checkParameterSets = async (paths: readonly string[]): Promise<void> => {
  let first: Buffer | undefined;
  for (const path of paths) {
    const sets = await parameterSetsOf(path);
    first ??= sets;
    if (!sets.equals(first))
      throw new Error(`${path} was encoded with other parameter sets than the first part`);
  }
};

/** The decoder's configuration, the box avcC (ISO 14496-12, 4.2, and 14496-15, 5.3.3). */
const parameterSetsOf = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const moov = await boxOf(file, 'moov');
    const type = moov.indexOf('avcC');
    if (type < 4) throw new Error(`${path} holds no H.264`);
    return moov.subarray(type, type - 4 + moov.readUInt32BE(type - 4));
  } finally {
    await file.close();
  }
};

const boxOf = async (file: FileHandle, wanted: string): Promise<Buffer> => {
  const { size } = await file.stat();
  const head = Buffer.alloc(16);
  for (let at = 0; at < size; ) {
    await file.read(head, 0, 16, at);
    const bytes = boxBytes(head);
    if (head.toString('latin1', 4, 8) === wanted) {
      const box = Buffer.alloc(bytes);
      await file.read(box, 0, bytes, at);
      return box;
    }
    if (bytes < 8) break;
    at += bytes;
  }
  throw new Error(`the file has no box ${wanted}`);
};
