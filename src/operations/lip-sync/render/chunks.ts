import { writeFile } from 'node:fs/promises';
import { encodePart, joinClip, type VideoFormat } from '../../../media/write/encode.ts';
import type { AnyFrame, Encoded } from '../../../media/write/encoder.ts';
import type { EncodedPart } from '../../../media/write/parts.ts';
import type { SoundTrack } from '../../../media/write/sound-graph.ts';
import type { Kept } from '../../../storage/checkpoints.ts';
import type { Shot } from '../plan/timeline.ts';
import { type LipSyncTask, spans } from '../task.ts';

type Timing = Pick<Shot, 'time' | 'duration'>;

/** A frame of the output as it goes to the encoder. */
export type Finished = AnyFrame & {
  /** Whether it stayed as it was for want of a face. */
  readonly passed: boolean;
};

/**
 * Encodes the frames of all shots, which `open` gives from any of them on, and puts the sound under them. Chunks that an
 * earlier attempt has finished are not made again. Returns too how many frames stayed as they were.
 */
export const encodeShots = async (
  task: Pick<LipSyncTask, 'config' | 'report' | 'signal' | 'target'>,
  kept: Kept,
  shots: readonly Timing[],
  look: VideoFormat,
  sound: SoundTrack,
  open: (from: number) => AsyncGenerator<Finished>,
): Promise<{ readonly encoded: Encoded; readonly passed: number }> => {
  const { config, report, signal, target } = task;
  const chunks = chunksOf(shots, config.lipsync.chunkSeconds);
  const { parts, passed } = await encodeChunks(task, kept, chunks, look, open);
  const frames = shots.length;
  report({ stage: 'encoding', framesDone: frames, framesTotal: frames, span: spans.rendering });
  await joinClip(parts, { format: look, sound, target, ffmpeg: config.ffmpeg, signal });
  const rounded = (value: number) => Number(value.toFixed(6));
  const seconds = endOf(shots);
  const encoded = { frames, durationSeconds: rounded(seconds), fps: rounded(frames / seconds) };
  return { encoded, passed };
};

/** Shots that are encoded together, to a file of their own. */
export type Chunk = { readonly from: number; readonly to: number; readonly seconds: number };

/** All shots, in chunks of about so many seconds. */
export const chunksOf = (shots: readonly Timing[], about: number): Chunk[] => {
  const startOf = (at: number) => shots[at]?.time ?? endOf(shots);
  const count = Math.max(1, Math.round(endOf(shots) / about));
  const numberOf = ({ time, duration }: Timing) =>
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

const endOf = (shots: readonly Timing[]): number => {
  const last = shots.at(-1);
  return last ? last.time + last.duration : 0;
};

/** Chunk by chunk; returns their files. */
export const encodeChunks = async (
  { config, report, signal }: Pick<LipSyncTask, 'config' | 'report' | 'signal'>,
  kept: Kept,
  chunks: readonly Chunk[],
  look: VideoFormat,
  open: (from: number) => AsyncGenerator<Finished>,
): Promise<{ readonly parts: EncodedPart[]; readonly passed: number }> => {
  const { span, framesTotal } = { span: spans.rendering, framesTotal: chunks.at(-1)?.to ?? 0 };
  const tell = (framesDone: number) =>
    report({ stage: 'inference', framesDone, framesTotal, span });
  const parts: EncodedPart[] = [];
  let passed = 0;
  let frames: AsyncGenerator<Finished> | undefined;
  try {
    for (const [i, { from, to, seconds }] of chunks.entries()) {
      const [picture, count] = [`chunk-${i}.mp4`, `chunk-${i}.passed`];
      if (frames || !(await kept.has(picture))) {
        tell(from);
        frames ??= open(from);
        const left = { frames, passed: 0 };
        const some = portion(left, from, to, tell);
        await kept.put(picture, async (path) => {
          await encodePart(some, { format: look, target: path, ffmpeg: config.ffmpeg, signal });
          // Before the pictures: where these are, it is there.
          await kept.put(count, (file) => writeFile(file, String(left.passed)));
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
