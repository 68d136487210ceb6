import type { Size, Timed } from '../../frame.ts';

/** One tick of the clock here is a nanosecond, finer than the clock of any video. */
const TICKS = 1e9;
const EBML = '1a45dfa3';
const SEGMENT_OF_UNKNOWN_SIZE = Buffer.from('1853806701ffffffffffffff', 'hex');
const INFO = '1549a966';
const TRACKS = '1654ae6b';
const CLUSTER = '1f43b675';

/**
 * The beginning of a Matroska stream of raw pictures (RFC 9559); `fourCc` names their layout. Matroska carries each
 * picture's own time to ffmpeg; raw video has no times. See decision 5.
 */
export const matroskaHead = ({ width, height }: Size, fourCc: string, fps: number): Buffer =>
  Buffer.concat([
    element(EBML, text('4282', 'matroska'), number('4287', 4), number('4285', 2)),
    SEGMENT_OF_UNKNOWN_SIZE,
    element(INFO, number('2ad7b1', 1e9 / TICKS)),
    element(
      TRACKS,
      element(
        'ae',
        ...[number('d7', 1), number('73c5', 1), number('83', 1), number('9c', 0)],
        ...[text('86', 'V_UNCOMPRESSED'), number('23e383', Math.round(1e9 / fps))],
        element('e0', number('b0', width), number('ba', height), text('2eb524', fourCc)),
      ),
    ),
  ]);

/** What precedes the pixels of a picture: a cluster of its own with its time, its duration, and the head of its block. */
export const matroskaFrameHead = ({
  time,
  duration,
  pixels,
}: Timed & { readonly pixels: Buffer }): Buffer => {
  const block = Buffer.concat([Buffer.from('a1', 'hex'), size(pixels.length + 4), BLOCK_HEAD]);
  const shown = number('9b', Math.max(1, Math.round(duration * TICKS)));
  const group = Buffer.concat([
    Buffer.from('a0', 'hex'),
    size(shown.length + block.length + pixels.length),
    shown,
    block,
  ]);
  const at = number('e7', Math.round(time * TICKS));
  return Buffer.concat([
    ...[Buffer.from(CLUSTER, 'hex'), size(at.length + group.length + pixels.length)],
    ...[at, group],
  ]);
};

/** Track 1, no time beyond the cluster's, no lacing. */
const BLOCK_HEAD = Buffer.from([0x81, 0, 0, 0]);

const element = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(id, 'hex'), size(body.length), body]);
};

/** A size in its longest form: eight bytes, the first of which marks that length. */
const size = (bytes: number): Buffer => {
  const written = Buffer.alloc(8);
  written.writeBigUInt64BE(BigInt(bytes) | (1n << 56n));
  return written;
};

const number = (id: string, value: number): Buffer => {
  const written = Buffer.alloc(8);
  written.writeBigUInt64BE(BigInt(value));
  return element(id, written);
};

const text = (id: string, value: string): Buffer => element(id, Buffer.from(value, 'latin1'));
