import { type FfmpegOptions, startFfmpeg } from '../ffmpeg.ts';
import { endOf } from '../outcome.ts';

const PNG = ['-frames:v', '1', '-c:v', 'png', '-compression_level', '1', '-f', 'image2pipe'];

/**
 * The first picture of an input of ffmpeg's, as a PNG. Throws when the file is damaged, and decode_failed
 * when that cannot be decided.
 */
export const pngByFfmpeg = async (
  input: readonly string[],
  options: FfmpegOptions,
): Promise<Buffer> => {
  const child = startFfmpeg(['-threads', '1', ...input, ...PNG, 'pipe:1'], options);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    const exit = await endOf(child, options);
    if (exit.exitCode !== 0 || exit.errorText !== '' || chunks.length === 0)
      throw new Error(exit.errorText || 'it has no pixels');
    return Buffer.concat(chunks);
  } finally {
    await child.stop();
  }
};
