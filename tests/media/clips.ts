/** What the tests of video share: a folder, a configuration, and whole passes through decoder and encoder. */
import { join } from 'node:path';
import type { Frame } from '../../src/frame.ts';
import type { VideoInfo } from '../../src/media/info.ts';
import type { EncodingOptions } from '../../src/media/output.ts';
import { probeVideo } from '../../src/media/probe/probe.ts';
import { decodeVideo } from '../../src/media/read/decode.ts';
import {
  encodePart,
  encodeVideo,
  joinClip,
  type VideoFormat,
} from '../../src/media/write/encode.ts';
import type { AnyFrame, Encoded } from '../../src/media/write/encoder.ts';
import type { SoundTrack } from '../../src/media/write/sound-graph.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';

const config = testConfig({ FFMPEG_PRESET: 'ultrafast' });
export const { ffmpeg, limits } = config;

const folder = tempDir('video');
export const at = (name: string): string => join(folder, name);
/** Every wait of a test ends. */
export const soon = (): AbortSignal => AbortSignal.timeout(30_000);

export const probe = (path: string): Promise<VideoInfo> =>
  probeVideo({ path, ffmpeg, limits: limits.video, signal: soon() });

export const decode = async (path: string): Promise<Frame[]> => {
  const frames: Frame[] = [];
  for await (const frame of decodeVideo(path, await probe(path), { ffmpeg, signal: soon() }))
    frames.push(frame);
  return frames;
};

/** Decodes and encodes at the same size; the result lies at `${path}.out.mp4`. */
export const again = async (path: string, output: EncodingOptions = { quality: 100 }) => {
  const info = await probe(path);
  const target = `${path}.out.mp4`;
  const frames = decodeVideo(path, info, { ffmpeg, signal: soon() });
  const encoded = await encodeVideo(frames, {
    source: { path, info },
    target,
    output,
    ffmpeg,
    signal: soon(),
  });
  return { info, target, encoded };
};

/** Encodes a clip in one part, and puts a sound under it. */
export const encodeClip = async (
  frames: AsyncIterable<AnyFrame>,
  format: VideoFormat,
  sound: SoundTrack,
  target: string,
): Promise<Encoded> => {
  const path = `${target}.part.mp4`;
  const encoded = await encodePart(frames, { format, target: path, ffmpeg, signal: soon() });
  const part = { path, seconds: encoded.durationSeconds };
  await joinClip([part], { format, sound, target, ffmpeg, signal: soon() });
  return encoded;
};

/** The mean colour of a picture. */
export const meanOf = ({ pixels }: { readonly pixels: Uint8Array }): number[] =>
  [0, 1, 2].map((channel) => {
    let sum = 0;
    for (let i = channel; i < pixels.length; i += 3) sum += pixels[i] ?? 0;
    return sum / (pixels.length / 3);
  });

export const largest = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? Number.NaN))));
