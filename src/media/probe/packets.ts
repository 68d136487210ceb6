import type { Ratio } from '../info.ts';

/** What the packets of one stream tell, without decoding any. Times in seconds. */
export type Track = {
  readonly timeBase: Ratio;
  readonly packets: number;
  /** Of all packets together. */
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  /** How long all of them last together, wherever they are in time. */
  readonly seconds: number;
  /** How long the last one in time is shown. */
  readonly lastSeconds: number;
  /** Whether the times are evenly spaced, but for the rounding of the clock. */
  readonly constantRate: boolean;
  /** Whether a packet came cut off. */
  readonly cut: boolean;
};

/** Where to stop: the reading is over when the first stream has more than that. */
export type Most = { readonly packets?: number; readonly seconds?: number };

/** Of all streams together: more than any sane ten minutes have. */
const MAX_PACKETS = 1_000_000;
const DISCARD = 4;
const CORRUPT = 2;

type Draft = {
  timeBase: Ratio;
  readonly dts: number[];
  readonly pts: number[];
  readonly durations: number[];
  ticks: number;
  bytes: number;
  cut: boolean;
};

/**
 * The streams in ffmpeg's framecrc listing, by their place in it: headers such as "#tb 0: 1/12800", then a line a packet,
 * "stream, dts, pts, duration, size, checksum[, F=flags]". Throws RangeError on an absurd number of packets.
 */
export const readPackets = async (
  lines: AsyncIterable<string>,
  { packets = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY }: Most = {},
): Promise<Track[]> => {
  const drafts: Draft[] = [];
  const draft = (stream: number): Draft => (drafts[stream] ??= newDraft());
  let count = 0;
  for await (const line of lines) {
    if (line.startsWith('#')) {
      const [, stream, num, den] = /^#tb (\d{1,4}): (\d{1,10})\/(\d{1,10})$/.exec(line) ?? [];
      if (stream) draft(Number(stream)).timeBase = { num: Number(num), den: Number(den) };
      continue;
    }
    count += 1;
    if (count > MAX_PACKETS) throw new RangeError(`more than ${MAX_PACKETS} packets`);
    addPacket(draft, line);
    const [first] = drafts;
    if (first && (first.pts.length > packets || secondsOf(first) > seconds)) break;
  }
  return drafts.map(finish);
};

const newDraft = (): Draft => ({
  ...{ timeBase: { num: 1, den: 1 }, dts: [], pts: [], durations: [] },
  ...{ ticks: 0, bytes: 0, cut: false },
});

const secondsOf = ({ ticks, timeBase }: Draft): number => (ticks * timeBase.num) / timeBase.den;

const addPacket = (draft: (stream: number) => Draft, line: string): void => {
  const [stream = 0, dts = 0, pts = 0, duration = 0, bytes = 0] = line.split(',', 5).map(Number);
  const flags = Number.parseInt(/F=0x([0-9a-f]+)/i.exec(line)?.[1] ?? '0', 16);
  const into = draft(stream);
  if (flags & CORRUPT) into.cut = true;
  if (flags & DISCARD) return;
  into.dts.push(dts);
  into.pts.push(pts);
  into.durations.push(duration);
  into.ticks += duration;
  into.bytes += bytes;
};

const finish = (draft: Draft): Track => {
  const { timeBase, durations, bytes, cut } = draft;
  // AVI gives some packets no time of presentation (the lowest 64-bit number); decoding times have the same spacing.
  const clock = draft.pts.every((pts) => pts > -1e18) ? draft.pts : draft.dts;
  const times = Float64Array.from(clock).sort();
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const lastDuration = durations[clock.lastIndexOf(last)] ?? 0;
  const mean = times.length > 1 ? (last - first) / (times.length - 1) : lastDuration;
  const lastTicks = lastDuration || mean;
  const seconds = (ticks: number): number =>
    Math.round((1e6 * ticks * timeBase.num) / timeBase.den) / 1e6;
  return {
    ...{ timeBase, bytes, cut, packets: times.length, seconds: seconds(draft.ticks) },
    ...{ start: seconds(first), end: seconds(last + lastTicks), lastSeconds: seconds(lastTicks) },
    constantRate:
      Math.abs(lastTicks - mean) <= 1 &&
      times.every((time, at) => Math.abs(time - first - at * mean) <= 1),
  };
};
