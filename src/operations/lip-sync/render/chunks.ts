/**
 * The output is encoded in chunks of about ten seconds, each to a file of its own, by this worker or by others; the next attempt
 * uses it again.
 */
import type { FfmpegOptions } from '../../../media/ffmpeg.ts';
import type { EncodedPart } from '../../../media/parts.ts';
import { encodePart, type VideoFormat } from '../../../media/write/encode.ts';
import { type AnyFrame, type Encoded, encodedOf } from '../../../media/write/encoder.ts';
import type { Checkpoints } from '../../../storage/checkpoints.ts';
import { type ChunkFiles, openChunkFiles } from '../../chunk-files.ts';
import { alone, type OnFrames } from '../../sharing.ts';
import type { OutputFrame } from '../plan/output-frame.ts';
import { type LipSyncTask, progressSpans } from '../task.ts';

type FrameTime = Pick<OutputFrame, 'time' | 'duration'>;
type EncodeTask = Pick<LipSyncTask, 'config' | 'report' | 'share' | 'signal'>;

/** A frame of the output as it goes to the encoder. */
export type FinishedFrame = AnyFrame & {
  /** Whether its mouth was to move and was left as it was, since no face was found. */
  readonly passedThrough: boolean;
};

/** The frames from this index of the output on. */
export type OpenFrames = (from: number) => AsyncGenerator<FinishedFrame>;

type OutputRequest = {
  readonly checkpoints: Checkpoints;
  /** Times of all output frames. */
  readonly times: readonly FrameTime[];
  readonly format: VideoFormat;
  readonly open: OpenFrames;
  /** Keeps what other workers need to do these chunks. Absent: they are all done here. */
  readonly keep?: (chunks: readonly Chunk[]) => Promise<void>;
};

type EncodedOutput = {
  /** Its pictures, without sound. */
  readonly parts: readonly EncodedPart[];
  readonly encoded: Encoded;
  readonly passedThrough: number;
};

/** Encodes all frames, and counts those that were passed through. */
export const encodeOutput = async (
  task: EncodeTask,
  { times, ...request }: OutputRequest,
): Promise<EncodedOutput> => {
  const { config, report } = task;
  const chunks = chunksOf(times, config.lipsync.chunkSeconds);
  const { parts, passedThrough } = await encodeChunks(task, { ...request, chunks });
  const [frames, span] = [times.length, progressSpans.rendering];
  report({ stage: 'encoding', framesDone: frames, framesTotal: frames, span });
  return { parts, encoded: encodedOf(frames, endOf(times)), passedThrough };
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

type ChunksRequest = Omit<OutputRequest, 'times'> & {
  readonly chunks: readonly Chunk[];
};

/** Has all chunks encoded, except those that an earlier attempt has finished; returns the files of all. */
export const encodeChunks = async (
  { config, report, share = alone, signal }: EncodeTask,
  { checkpoints, chunks, format, open, keep }: ChunksRequest,
): Promise<{ readonly parts: EncodedPart[]; readonly passedThrough: number }> => {
  const files = openChunkFiles<ChunkFacts>(checkpoints, chunks.length);
  const missing = await files.missing();
  const [span, framesTotal] = [progressSpans.rendering, chunks.at(-1)?.to ?? 0];
  const left = missing.reduce((sum, chunk) => sum + lengthOf(chunks[chunk]), 0);
  const onFrames = (done: number) => {
    const framesDone = framesTotal - left + done;
    report({ stage: 'inference', framesDone, framesTotal, span });
  };
  if (left > 0) onFrames(0);
  const mayShare = keep !== undefined && missing.length > 1;
  if (mayShare) await keep(chunks);
  const reader = openReader(open);
  const encoding = { chunks, format, reader, ffmpeg: config.ffmpeg, signal };
  const make = (chunk: number, tell: OnFrames) =>
    encodeChunk(files, chunk, { ...encoding, onFrames: tell });
  try {
    await (mayShare ? share : alone)({ missing, make, onFrames });
  } finally {
    await reader.close();
  }
  return encodedParts(chunks, files);
};

const encodedParts = async (chunks: readonly Chunk[], files: ChunkFiles<ChunkFacts>) => {
  const parts = await Promise.all(
    chunks.map(async ({ seconds }, chunk) => ({ path: await files.path(chunk), seconds })),
  );
  const facts = await Promise.all(chunks.map((_, chunk) => files.about(chunk)));
  return { parts, passedThrough: facts.reduce((sum, { passedThrough }) => sum + passedThrough, 0) };
};

const lengthOf = (chunk: Chunk | undefined): number => (chunk ? chunk.to - chunk.from : 0);

type ChunkFacts = { readonly passedThrough: number };
type Encoding = FfmpegOptions & {
  readonly chunks: readonly Chunk[];
  readonly format: VideoFormat;
  readonly reader: Reader;
  readonly onFrames: OnFrames;
};

/** One chunk for the attempt that has them done. */
export const encodeOneChunk = async (
  checkpoints: Checkpoints,
  chunk: number,
  { open, ...encoding }: Omit<Encoding, 'reader'> & { readonly open: OpenFrames },
): Promise<void> => {
  const reader = openReader(open);
  try {
    const files = openChunkFiles<ChunkFacts>(checkpoints, encoding.chunks.length);
    await encodeChunk(files, chunk, { ...encoding, reader });
  } finally {
    await reader.close();
  }
};

const encodeChunk = async (
  files: ChunkFiles<ChunkFacts>,
  number: number,
  { chunks, reader, onFrames, ...encoding }: Encoding,
): Promise<void> => {
  const chunk = chunks[number];
  if (!chunk) throw new Error(`there is no chunk ${number}`);
  let passedThrough = 0;
  const frames = async function* (): AsyncGenerator<AnyFrame> {
    let done = 0;
    for await (const frame of reader.read(chunk)) {
      if (frame.passedThrough) passedThrough += 1;
      yield frame;
      done += 1;
      onFrames(done);
    }
  };
  await files.put(number, async (target) => {
    await encodePart(frames(), { ...encoding, target });
    return { passedThrough };
  });
};

type Reader = ReturnType<typeof openReader>;

/** Reads the frames of chunks; where one begins at which the last one ended, what renders them goes on. */
const openReader = (open: OpenFrames) => {
  let frames: AsyncGenerator<FinishedFrame> | undefined;
  let at = 0;
  const close = async () => {
    await frames?.return(undefined);
    frames = undefined;
  };
  return {
    close,
    async *read({ from, to }: Chunk): AsyncGenerator<FinishedFrame> {
      if (at !== from) await close();
      frames ??= open(from);
      for (at = from; at < to; ) {
        const { value: frame, done } = await frames.next();
        if (done) throw new Error(`expected ${to - from} frames, got ${at - from}`);
        at += 1;
        yield frame;
      }
    },
  };
};
