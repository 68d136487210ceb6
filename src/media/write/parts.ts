/** Parts of a clip, each an MP4 of its own, that become one file by copying their pictures. */
import { type FileHandle, open } from 'node:fs/promises';

/** As `encodePart` wrote it, and for how long it is shown: whole ticks of the clip's clock. */
export type Part = { readonly path: string; readonly seconds: number };

/**
 * Input arguments for a list of parts that comes through the pipe. Nothing is converted: the pictures of all parts are
 * decoded with the first one's parameter sets, so these must be alike.
 */
export const partsInput = [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'concat,mov,mp4,m4a,3gp,3g2,mj2'],
  ...['-f', 'concat', '-safe', '0', '-auto_convert', '0', '-i', 'pipe:0'],
];

/** Each part begins where those before it end, to the microsecond: that is less than half a tick of any clock here. */
export const listOf = (parts: readonly Part[]): string => {
  let end = 0;
  const lines = ['ffconcat version 1.0'];
  for (const { path, seconds } of parts) {
    const shown = Math.round((end + seconds) * 1e6) - Math.round(end * 1e6);
    end += seconds;
    // With its scheme, as it would be one below the pipe's without.
    lines.push(`file 'file:${path.replaceAll("'", "'\\''")}'`, `duration ${shown / 1e6}`);
  }
  return `${lines.join('\n')}\n`;
};

/** Throws where a part needs other parameter sets (SPS and PPS) than the first. */
export const checkHeads = async (paths: readonly string[]): Promise<void> => {
  let first: Buffer | undefined;
  for (const path of paths) {
    const head = await headOf(path);
    first ??= head;
    if (!head.equals(first))
      throw new Error(`${path} was encoded otherwise than the parts before it`);
  }
};

/** The decoder's configuration, which stands in the last box of the file (ISO 14496-12, 4.2, and 14496-15, 5.3.3). */
const headOf = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const moov = await boxOf(file, 'moov');
    const type = moov.indexOf('avcC');
    if (type < 4) throw new Error(`${path} has no H.264 in it`);
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
    const short = head.readUInt32BE(0);
    // 1: the size is one of 64 bits, behind the type.
    const bytes = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
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
