import type { z } from 'zod';
import type { Config } from '../../config.ts';
import { type Ended, startFfprobe } from '../ffmpeg.ts';
import { checkAlive, unreadable } from '../outcome.ts';

/** A thousand streams, which is the most that ffprobe opens, take a third of it. */
const MOST_BYTES = 1024 ** 2;

/**
 * What ffprobe tells in JSON, or nothing where it could not read the file, and why. Only what is asked for by name comes,
 * and no text of the file's own is. Throws decode_failed, and media_unreadable when too much comes.
 */
export const askFfprobe = async <T extends z.ZodType>(
  args: readonly string[],
  schema: T,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<{ readonly told: z.output<T> | null; readonly ended: Ended }> => {
  const child = startFfprobe(ffmpeg, ['-threads', '1', ...args, '-of', 'json=compact=1'], signal);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw unreadable('it holds too many streams');
    }
    const ended = await child.ended();
    signal.throwIfAborted();
    checkAlive(ended);
    const text = Buffer.concat(chunks).toString();
    return { told: ended.exitCode === 0 ? schema.parse(JSON.parse(text)) : null, ended };
  } finally {
    await child.stop();
  }
};
