import type { Size } from '../frame.ts';
import type { Ratio } from './info.ts';

/** What the packets of one stream tell, without decoding any. Times in seconds. */
export type Track = {
  readonly timeBase: Ratio;
  /** Of a video stream. */
  readonly size: Size | null;
  readonly packets: number;
  /** Of all packets together. */
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  /** How long the last one in time is shown. */
  readonly lastSeconds: number;
  /** Whether the times are evenly spaced, but for the rounding of the clock. */
  readonly constantRate: boolean;
  /** Whether a packet came cut off. */
  readonly cut: boolean;
};

/** More packets than any sane ten minutes have; a file of only tiny packets must not fill the memory. */
const MAX_PACKETS = 2_000_000;
const DISCARD = 4;
const CORRUPT = 2;

type Packet = {
  readonly dts: number;
  readonly pts: number;
  readonly duration: number;
  readonly bytes: number;
};
type Draft = { timeBase: Ratio; size: Size | null; packets: Packet[]; cut: boolean };

/**
 * The streams in ffmpeg's framecrc listing, by their place in it: headers such as "#tb 0: 1/12800", then a line a packet,
 * "stream, dts, pts, duration, size, checksum[, F=flags]". Throws RangeError on an absurd number of packets.
 */
export const readPackets = async (lines: AsyncIterable<string>): Promise<Track[]> => {
  const drafts: Draft[] = [];
  const draft = (stream: number): Draft => {
    drafts[stream] ??= { timeBase: { num: 1, den: 1 }, size: null, packets: [], cut: false };
    return drafts[stream];
  };
  let count = 0;
  for await (const line of lines) {
    const [, name, stream, a, b] = /^#(tb|dimensions) (\d+): (\d+)[/x](\d+)/.exec(line) ?? [];
    if (name === 'tb') draft(Number(stream)).timeBase = { num: Number(a), den: Number(b) };
    else if (name) draft(Number(stream)).size = { width: Number(a), height: Number(b) };
    else if (!line.startsWith('#')) {
      count += 1;
      if (count > MAX_PACKETS) throw new RangeError(`more than ${MAX_PACKETS} packets`);
      addPacket(draft, line);
    }
  }
  return drafts.map(finish);
};

const addPacket = (draft: (stream: number) => Draft, line: string): void => {
  const [stream = 0, dts = 0, pts = 0, duration = 0, bytes = 0] = line.split(',', 5).map(Number);
  const flags = Number.parseInt(/F=0x([0-9a-f]+)/i.exec(line)?.[1] ?? '0', 16);
  const into = draft(stream);
  if (flags & CORRUPT) into.cut = true;
  if (!(flags & DISCARD)) into.packets.push({ dts, pts, duration, bytes });
};

const finish = ({ timeBase, size, packets, cut }: Draft): Track => {
  // AVI gives some packets no time of presentation (the lowest 64-bit number); decoding times have the same spacing.
  const clock = packets.every(({ pts }) => pts > -1e18) ? 'pts' : 'dts';
  const sorted = packets.toSorted((a, b) => a[clock] - b[clock]);
  const times = sorted.map((packet) => packet[clock]);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const lastDuration = sorted.at(-1)?.duration ?? 0;
  const mean = times.length > 1 ? (last - first) / (times.length - 1) : lastDuration;
  const lastTicks = lastDuration || mean;
  const seconds = (ticks: number): number =>
    Math.round((1e6 * ticks * timeBase.num) / timeBase.den) / 1e6;
  return {
    ...{ timeBase, size, cut, packets: packets.length },
    bytes: packets.reduce((sum, { bytes }) => sum + bytes, 0),
    ...{ start: seconds(first), end: seconds(last + lastTicks), lastSeconds: seconds(lastTicks) },
    constantRate:
      Math.abs(lastTicks - mean) <= 1 &&
      times.every((time, at) => Math.abs(time - first - at * mean) <= 1),
  };
};
