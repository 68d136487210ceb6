import type { z } from 'zod';
import type { ChildExit } from '../child-exit.ts';
import { type FfmpegOptions, startFfprobe } from '../ffmpeg.ts';
import { endOf, unreadable } from '../outcome.ts';

/** Three times what ffprobe prints of 1000 streams, which is the most that it opens, or about 50,000 chapters. */
const MOST_BYTES = 1024 ** 2;

/**
 * ffprobe's JSON, or null where it could not read the file, and how it ended. It prints only the fields that are asked
 * for, none of which is the file's own text but `alpha_mode`, which is compared with 1, and tags that are checked: our own, creation time and place. Throws decode_failed, and media_unreadable for more than 1 MiB.
 */
export const askFfprobe = async <T extends z.ZodType>(
  args: readonly string[],
  schema: T,
  options: FfmpegOptions,
): Promise<{ readonly output: z.output<T> | null; readonly exit: ChildExit }> => {
  const child = startFfprobe(['-threads', '1', ...args, '-of', 'json=compact=1'], options);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw unreadable('it has too many streams or chapters');
    }
    const exit = await endOf(child, options);
    const text = Buffer.concat(chunks).toString();
    return { output: exit.exitCode === 0 ? schema.parse(JSON.parse(text)) : null, exit };
  } finally {
    await child.stop();
  }
};
