import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { Failure } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { fileInput, startFfmpeg } from './ffmpeg.ts';
import type { VideoInfo } from './info.ts';
import { PictureClock } from './picture-clock.ts';
import { toRgb } from './scaler.ts';

/** A decoder that was asked for a picture and gives nothing for this long hangs. */
const STALL_MS = 120_000;

/**
 * The pictures of a video in order of time, as RGB, upright, progressive, each with its own time; asking for the next
 * is what drives ffmpeg. Damaged pictures are concealed as players do it; when fewer than half can be decoded at all,
 * it throws media_unreadable. Pictures that change size in mid-stream are scaled to the first one's.
 */
export async function* decodeVideo(
  path: string,
  info: VideoInfo,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const clock = new PictureClock(info);
  const child = startFfmpeg(ffmpeg, decodeArgs(path, info, ffmpeg), signal, clock.read);
  const { width, height } = info.size;
  let index = 0;
  let held: Omit<Frame, 'duration'> | null = null;
  try {
    for await (const pixels of pictures(child.stdout, width * height * 3)) {
      const time = await clock.next();
      // A picture is shown until the next one's time, so each waits for its successor.
      if (held) yield { ...held, duration: time - held.time };
      held = { width, height, channels: 3, pixels, index, time };
      index += 1;
    }
    const { complaint } = await child.ended();
    signal.throwIfAborted();
    if (index * 2 < info.frames) {
      const reason = `${index} of ${info.frames} pictures could be decoded; ${complaint}`;
      throw new Failure('media_unreadable', { reason });
    }
    if (held) yield { ...held, duration: info.lastFrameSeconds };
  } finally {
    await child.stop();
  }
}

const decodeArgs = (path: string, info: VideoInfo, { threads }: Config['ffmpeg']): string[] => {
  const { width, height } = info.size;
  const filters = [
    ...(info.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    `scale=w=${width}:h=${height}:${toRgb(info)}`,
    'format=rgb24',
    'showinfo=checksum=0',
  ];
  return [
    ...['-threads', String(threads), '-filter_threads', String(threads)],
    ...[...fileInput(path, info.container), '-map', '0:V:0', '-fps_mode', 'passthrough'],
    ...['-vf', filters.join(','), '-f', 'rawvideo', 'pipe:1'],
  ];
};

/** The stream cut into buffers of exactly `bytes`; a shorter rest is dropped. */
async function* pictures(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  const watch = () =>
    setTimeout(
      () => stream.destroy(new Failure('media_unreadable', { reason: STALLED })),
      STALL_MS,
    );
  let timer = watch();
  let picture: Buffer | null = null;
  let filled = 0;
  try {
    for await (const chunk of stream) {
      timer.refresh();
      for (let at = 0; at < chunk.length; ) {
        picture ??= Buffer.allocUnsafe(bytes);
        const copied: number = chunk.copy(picture, filled, at);
        at += copied;
        filled += copied;
        if (filled < bytes) continue;
        clearTimeout(timer);
        yield picture;
        timer = watch();
        [picture, filled] = [null, 0];
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

const STALLED = `the decoder gave nothing for ${STALL_MS / 1000} s`;
