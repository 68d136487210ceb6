import type { Config } from '../config.ts';
import type { Size } from '../frame.ts';
import { startFfmpeg } from './ffmpeg.ts';
import type { Colour } from './info.ts';
import { unreadable } from './listing.ts';
import { parseColour, parseShown, type Shown } from './showinfo.ts';

export type First = Shown & {
  readonly colour: Colour;
  /** Degrees clockwise by which the pictures are turned to be shown. */
  readonly turned: 0 | 90 | 180 | 270;
};

/** Decodes one picture of a video, to know what all will be: upright size, pixels, colours. Throws media_unreadable. */
export const decodeFirst = async (
  input: readonly string[],
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<First> => {
  const lines: string[] = [];
  const output = ['-map', '0:V:0', '-frames:v', '1', '-vf', 'showinfo=checksum=0'];
  const args = ['-threads', '1', ...input, ...output, '-f', 'null', '-'];
  // Not the complaints of pictures that cannot be decoded, of which there may be any number.
  const keep = (line: string | null) =>
    line && /showinfo|display ?matrix|Video: /i.test(line) && lines.push(line);
  const child = startFfmpeg(ffmpeg, args, signal, keep);
  try {
    const { complaint } = await child.ended();
    signal.throwIfAborted();
    const shown = firstOf(lines, parseShown);
    const tags = firstOf(lines, parseColour);
    if (!shown || !tags) throw unreadable(complaint || 'no picture could be decoded');
    const fields = lines.some((line) => /Video: .*\b(top|bottom) (coded )?first\b/.test(line));
    return {
      ...shown,
      interlaced: shown.interlaced || fields,
      turned: firstOf(lines, parseTurn) ?? 0,
      colour: { ...tags, matrix: resolveMatrix(tags, shown) },
    };
  } finally {
    await child.stop();
  }
};

/** ffmpeg tells the turn that the file asks for counted the other way. */
const parseTurn = (line: string): First['turned'] | null => {
  const [, told] = /display ?matrix: rotation of (-?[\d.]+) degrees/i.exec(line) ?? [];
  if (told === undefined) return null;
  const degrees = (360 - Math.round(Number(told))) % 360;
  return degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0;
};

/** Those that ffmpeg's scaler knows. */
const matrices = ['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'];

const resolveMatrix = (tags: Colour, { pixelFormat, size }: Shown): string | null => {
  if (/rgb|bgr|gbr|pal8/.test(pixelFormat)) return null;
  const matrix = tags.matrix ?? guessMatrix(size);
  if (!matrices.includes(matrix)) throw unreadable(`its colour matrix ${matrix} is not supported`);
  return matrix;
};

/** What players take an untagged video for. */
const guessMatrix = ({ width, height }: Size): string =>
  Math.min(width, height) < 720 ? 'smpte170m' : 'bt709';

const firstOf = <T>(lines: readonly string[], parse: (line: string) => T | null): T | null => {
  for (const line of lines) {
    const found = parse(line);
    if (found) return found;
  }
  return null;
};
