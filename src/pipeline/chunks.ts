import { writeFile } from 'node:fs/promises';
import { encodePart, type Look } from '../media/encode.ts';
import type { AnyFrame } from '../media/encoder.ts';
import type { Part } from '../media/parts.ts';
import type { Kept } from './kept.ts';
import { type LipSyncTask, spans } from './lip-sync-task.ts';
import type { Shot } from './timeline.ts';

/** A frame of the output as it goes to the encoder. */
export type Finished = AnyFrame & {
  /** Whether it stayed as it was for want of a face. */
  readonly passed: boolean;
};

/** Shots that are encoded together, to a file of their own. */
export type Chunk = { readonly from: number; readonly to: number; readonly seconds: number };

/** All shots, in chunks of about so many seconds. */
export const chunksOf = (
  shots: readonly Pick<Shot, 'time' | 'duration'>[],
  about: number,
): Chunk[] => {
  const startOf = (at: number) => shots[at]?.time ?? endOf(shots);
  const count = Math.max(1, Math.round(endOf(shots) / about));
  const numberOf = ({ time, duration }: Pick<Shot, 'time' | 'duration'>) =>
    Math.floor(((time + duration / 2) / endOf(shots)) * count);
  const starts = shots.flatMap((shot, at) => {
    const before = shots[at - 1];
    return !before || numberOf(before) < numberOf(shot) ? [at] : [];
  });
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? shots.length;
    return { from, to, seconds: startOf(to) - startOf(from) };
  });
};

const endOf = (shots: readonly Pick<Shot, 'time' | 'duration'>[]): number => {
  const last = shots.at(-1);
  return last ? last.time + last.duration : 0;
};

/**
 * Encodes the frames that `open` gives, from a shot on, chunk by chunk. Chunks that an earlier attempt has finished are
 * not made again. Returns the files, and how many frames stayed as they were.
 */
export const encodeChunks = async (
  { config, report, signal }: Pick<LipSyncTask, 'config' | 'report' | 'signal'>,
  kept: Kept,
  chunks: readonly Chunk[],
  look: Look,
  open: (from: number) => AsyncGenerator<Finished>,
): Promise<{ readonly parts: Part[]; readonly passed: number }> => {
  const { span, framesTotal } = { span: spans.rendering, framesTotal: chunks.at(-1)?.to ?? 0 };
  const tell = (framesDone: number) =>
    report({ stage: 'inference', framesDone, framesTotal, span });
  const parts: Part[] = [];
  let passed = 0;
  let frames: AsyncGenerator<Finished> | undefined;
  try {
    for (const [i, { from, to, seconds }] of chunks.entries()) {
      const [picture, count] = [`chunk-${i}.mp4`, `chunk-${i}.passed`];
      const isDone = !frames && (await kept.has(picture));
      tell(isDone ? to : from);
      if (!isDone) {
        frames ??= open(from);
        const left = { frames, passed: 0 };
        const some = portion(left, from, to, tell);
        await kept.put(picture, async (path) => {
          await encodePart(some, look, path, config.ffmpeg, signal);
          // Before the pictures: where these are, it is there.
          await kept.put(count, (to) => writeFile(to, String(left.passed)));
        });
      }
      passed += Number(await kept.read(count));
      parts.push({ path: kept.path(picture), seconds });
    }
  } finally {
    await frames?.return(undefined);
  }
  return { parts, passed };
};

/** The frames of one chunk; those after it stay where they are. */
async function* portion(
  left: { readonly frames: AsyncGenerator<Finished>; passed: number },
  from: number,
  to: number,
  tell: (framesDone: number) => void,
): AsyncGenerator<AnyFrame> {
  for (let at = from; at < to; at += 1) {
    const { value: frame, done } = await left.frames.next();
    if (done) throw new Error(`expected ${to - from} frames; ${at - from} came`);
    if (frame.passed) left.passed += 1;
    yield frame;
    tell(at + 1);
  }
}
