/** The output is encoded in chunks of about ten seconds, each to a file of its own that the next attempt uses again. */
import { writeFile } from 'node:fs/promises';
import { encodePart, joinClip, type VideoFormat } from '../../../media/write/encode.ts';
import { type AnyFrame, type Encoded, encodedOf } from '../../../media/write/encoder.ts';
import type { EncodedPart } from '../../../media/write/parts.ts';
import type { SoundTrack } from '../../../media/write/sound-graph.ts';
import type { Checkpoints } from '../../../storage/checkpoints.ts';
import type { OutputFrame } from '../plan/output-frame.ts';
import { type LipSyncTask, progressSpans } from '../task.ts';

type FrameTime = Pick<OutputFrame, 'time' | 'duration'>;
type EncodeTask = Pick<LipSyncTask, 'config' | 'report' | 'signal'>;

/** A frame of the output as it goes to the encoder. */
export type FinishedFrame = AnyFrame & {
  /** Whether its mouth was to move and was left as it was, since no face was found. */
  readonly passedThrough: boolean;
};

/** The frames from this index of the output on. */
export type OpenFrames = (from: number) => AsyncGenerator<FinishedFrame>;

type OutputRequest = {
  readonly checkpoints: Checkpoints;
  /** Of all output frames. */
  readonly times: readonly FrameTime[];
  readonly format: VideoFormat;
  readonly sound: SoundTrack;
  readonly open: OpenFrames;
};

/** Encodes all frames and puts the sound under them. Also returns how many frames were passed through. */
export const encodeOutput = async (
  task: EncodeTask & Pick<LipSyncTask, 'target'>,
  { checkpoints, times, format, sound, open }: OutputRequest,
): Promise<{ readonly encoded: Encoded; readonly passedThrough: number }> => {
  const { config, report, signal, target } = task;
  const chunks = chunksOf(times, config.lipsync.chunkSeconds);
  const { parts, passedThrough } = await encodeChunks(task, { checkpoints, chunks, format, open });
  const [frames, span] = [times.length, progressSpans.rendering];
  report({ stage: 'encoding', framesDone: frames, framesTotal: frames, span });
  await joinClip(parts, { format, sound, target, ffmpeg: config.ffmpeg, signal });
  return { encoded: encodedOf(frames, endOf(times)), passedThrough };
};

/** Output frames from index `from` to before `to`, which are encoded to one file. */
export type Chunk = { readonly from: number; readonly to: number; readonly seconds: number };

/** All output frames in chunks of equal length, as near to `about` seconds as their number allows. */
export const chunksOf = (times: readonly FrameTime[], about: number): Chunk[] => {
  const startOf = (at: number) => times[at]?.time ?? endOf(times);
  const count = Math.max(1, Math.round(endOf(times) / about));
  const numberOf = ({ time, duration }: FrameTime) =>
    Math.floor(((time + duration / 2) / endOf(times)) * count);
  const starts = times.flatMap((frame, at) => {
    const before = times[at - 1];
    return !before || numberOf(before) < numberOf(frame) ? [at] : [];
  });
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? times.length;
    return { from, to, seconds: startOf(to) - startOf(from) };
  });
};

const endOf = (times: readonly FrameTime[]): number => {
  const last = times.at(-1);
  return last ? last.time + last.duration : 0;
};

type ChunksRequest = Pick<OutputRequest, 'checkpoints' | 'format' | 'open'> & {
  readonly chunks: readonly Chunk[];
};

/** Encodes chunk after chunk, but for those that an earlier attempt has finished; returns the files of all. */
export const encodeChunks = async (
  { config, report, signal }: EncodeTask,
  { checkpoints, chunks, format, open }: ChunksRequest,
): Promise<{ readonly parts: EncodedPart[]; readonly passedThrough: number }> => {
  const [span, framesTotal] = [progressSpans.rendering, chunks.at(-1)?.to ?? 0];
  const onFrames = (framesDone: number) =>
    report({ stage: 'inference', framesDone, framesTotal, span });
  const parts: EncodedPart[] = [];
  let passedThrough = 0;
  let frames: AsyncGenerator<FinishedFrame> | undefined;
  try {
    for (const [i, chunk] of chunks.entries()) {
      const [pictures, count] = [`chunk-${i}.mp4`, `chunk-${i}.passed`];
      if (frames || !(await checkpoints.has(pictures))) {
        onFrames(chunk.from);
        frames ??= open(chunk.from);
        const tally = { passedThrough: 0 };
        const some = framesIn(chunk, { frames, tally, onFrames });
        await checkpoints.put(pictures, async (path) => {
          await encodePart(some, { format, target: path, ffmpeg: config.ffmpeg, signal });
          // The count comes before the pictures are renamed: where the pictures are, the count is.
          await checkpoints.put(count, (file) => writeFile(file, String(tally.passedThrough)));
        });
      }
      passedThrough += Number(await checkpoints.read(count));
      parts.push({ path: await checkpoints.fetch(pictures), seconds: chunk.seconds });
    }
  } finally {
    await frames?.return(undefined);
  }
  return { parts, passedThrough };
};

type ChunkSource = {
  readonly frames: AsyncGenerator<FinishedFrame>;
  readonly tally: { passedThrough: number };
  readonly onFrames: (done: number) => void;
};

/** The frames of one chunk. The generator stays open for the next chunk. */
async function* framesIn(
  { from, to }: Chunk,
  { frames, tally, onFrames }: ChunkSource,
): AsyncGenerator<AnyFrame> {
  for (let at = from; at < to; at += 1) {
    const { value: frame, done } = await frames.next();
    if (done) throw new Error(`expected ${to - from} frames, got ${at - from}`);
    if (frame.passedThrough) tally.passedThrough += 1;
    yield frame;
    onFrames(at + 1);
  }
}
