import type { Ratio } from '../info.ts';

/** What the packets of one stream say, without decoding any. Times in seconds. */
export type PacketSummary = {
  readonly timeBase: Ratio;
  readonly packets: number;
  /** Bytes of all packets together. */
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  /** The sum of the packets' durations, wherever they are in time. */
  readonly seconds: number;
  /** The duration of the last one in time. */
  readonly lastSeconds: number;
  /** Whether the times are evenly spaced, to within one tick of the clock. */
  readonly constantRate: boolean;
  /** The times of key frames, ascending, at most 200 and then spread over the whole. */
  readonly keys: readonly number[];
  /** Bytes of the median key frame; 0 where there is none. */
  readonly keyBytes: number;
  /** Whether a packet was cut off. */
  readonly cut: boolean;
};

/** Reading stops when the first stream has more than that. */
type PacketLimit = { readonly packets?: number; readonly seconds?: number };

export type Reading = PacketLimit & {
  /** A packet of the first stream that comes sooner than this after the one before is a part of that one. */
  readonly leastSeconds?: number | undefined;
};

export const exceeds = (
  { packets, seconds }: { readonly packets: number; readonly seconds: number },
  limit: PacketLimit,
): boolean =>
  packets > (limit.packets ?? Number.POSITIVE_INFINITY) ||
  seconds > (limit.seconds ?? Number.POSITIVE_INFINITY);

/** The most packets of all streams together: ten minutes at 60 frames per second, with 31 sound tracks, have 0.9 million. */
const MAX_PACKETS = 1_000_000;
const KEY = 1;
const DISCARD = 4;
const CORRUPT = 2;
const MOST_KEYS = 200;

type Packets = {
  timeBase: Ratio;
  readonly dts: number[];
  readonly pts: number[];
  readonly durations: number[];
  readonly isKey: boolean[];
  readonly keySizes: number[];
  ticks: number;
  bytes: number;
  cut: boolean;
};

/**
 * The streams in ffmpeg's framecrc listing, by their place in it: headers such as "#tb 0: 1/12800", then a line a packet,
 * "stream, dts, pts, duration, size, checksum[, F=flags]". Throws RangeError for more than a million packets.
 */
export const readPackets = async (
  lines: AsyncIterable<string>,
  { leastSeconds = 0, ...limit }: Reading = {},
): Promise<PacketSummary[]> => {
  const streams: Packets[] = [];
  const packetsOf = (stream: number): Packets => (streams[stream] ??= noPackets());
  let count = 0;
  for await (const line of lines) {
    if (line.startsWith('#')) {
      const [, stream, num, den] = /^#tb (\d{1,4}): (\d{1,10})\/(\d{1,10})$/.exec(line) ?? [];
      if (stream) packetsOf(Number(stream)).timeBase = { num: Number(num), den: Number(den) };
      continue;
    }
    count += 1;
    if (count > MAX_PACKETS) throw new RangeError(`more than ${MAX_PACKETS} packets`);
    addPacket(packetsOf, line);
    const [first] = streams;
    if (first && exceeds({ packets: first.pts.length, seconds: secondsOf(first) }, limit)) break;
  }
  return streams.map((stream, at) => summaryOf(stream, at === 0 ? leastSeconds : 0));
};

const noPackets = (): Packets => ({
  timeBase: { num: 1, den: 1 },
  dts: [],
  pts: [],
  durations: [],
  isKey: [],
  keySizes: [],
  ticks: 0,
  bytes: 0,
  cut: false,
});

const secondsOf = ({ ticks, timeBase }: Packets): number => (ticks * timeBase.num) / timeBase.den;

const addPacket = (packetsOf: (stream: number) => Packets, line: string): void => {
  const [stream = 0, dts = 0, pts = 0, duration = 0, bytes = 0] = line.split(',', 5).map(Number);
  // Flags are left out where they say that it is a key frame, and no more.
  const flags = Number.parseInt(/F=0x([0-9a-f]+)/i.exec(line)?.[1] ?? `${KEY}`, 16);
  const into = packetsOf(stream);
  if (flags & CORRUPT) into.cut = true;
  if (flags & DISCARD) return;
  into.dts.push(dts);
  into.pts.push(pts);
  into.durations.push(duration);
  into.isKey.push((flags & KEY) !== 0);
  if (flags & KEY) into.keySizes.push(bytes);
  into.ticks += duration;
  into.bytes += bytes;
};

const summaryOf = (stream: Packets, leastSeconds: number): PacketSummary => {
  const { timeBase, durations, keySizes, bytes, cut } = stream;
  // AVI gives some packets no time of presentation (the lowest 64-bit number); decoding times have the same spacing.
  const clock = stream.pts.every((pts) => pts > -1e18) ? stream.pts : stream.dts;
  const least = (leastSeconds * timeBase.den) / timeBase.num;
  const times = apart(Float64Array.from(clock).sort(), least);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const lastDuration = durations[clock.lastIndexOf(last)] ?? 0;
  const mean = times.length > 1 ? (last - first) / (times.length - 1) : lastDuration;
  const lastTicks = least > 0 ? mean : lastDuration || mean;
  const seconds = (ticks: number): number =>
    Math.round((1e6 * ticks * timeBase.num) / timeBase.den) / 1e6;
  return {
    timeBase,
    bytes,
    cut,
    packets: times.length,
    seconds: seconds(stream.ticks),
    start: seconds(first),
    end: seconds(last + lastTicks),
    lastSeconds: seconds(lastTicks),
    keys: spread(clock.filter((_, at) => stream.isKey[at])).map(seconds),
    keyBytes: Float64Array.from(keySizes).sort()[keySizes.length >> 1] ?? 0,
    constantRate:
      Math.abs(lastTicks - mean) <= 1 &&
      times.every((time, at) => Math.abs(time - first - at * mean) <= 1),
  };
};

/** Without those that come less than `least` after the last one that is kept. */
const apart = (sorted: Float64Array, least: number): Float64Array => {
  let before = Number.NEGATIVE_INFINITY;
  return sorted.filter((time) => {
    if (time - before < least) return false;
    before = time;
    return true;
  });
};

/** The times in ascending order, in ticks, without any that is nearer to the one before than a 200th of the whole. */
const spread = (times: readonly number[]): number[] => {
  const sorted = Float64Array.from(times).sort();
  const least = ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / (MOST_KEYS - 1);
  return [...apart(sorted, Math.max(least, 1))];
};
