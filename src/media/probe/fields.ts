import { createInterface } from 'node:readline';
import { type FfmpegOptions, startFfmpeg } from '../ffmpeg.ts';
import type { FieldOrder, VideoInfo } from '../info.ts';
import { endOf } from '../outcome.ts';

/** Heights of pictures that television and camcorders made of two fields. Another height was scaled, which mixes the fields. */
const HEIGHTS: readonly number[] = [480, 486, 576];
/** How many pictures are looked at. */
const PICTURES = 60;
/** The least of them in which something moves. */
const LEAST = 20;
/** The share of those that must give the same answer. */
const SHARE = 0.75;
/** The same for film, of which two frames of five have combs. */
const FILM_SHARE = 0.5;
/**
 * How much more two fields of one picture differ than a field and its successor do, for clear combs; the filter's own value,
 * 1.04, takes a test pattern of moving lines for them (61 pictures of 61; with this, none, as of any whole picture tried).
 */
const COMBED = 1.18;

/** Film, of 24 pictures a second, as 60 fields: its pictures last two and three fields in turn, which repeats after five frames. */
const CADENCE = 5;
/**
 * A field counts as repeated where it differs from the frame before this many times less than the other field. The filter's own
 * value, 3, misses people who hardly move, and what compression has changed.
 */
const REPEATED = 1.5;
/** The least number of frames with a repeated field for film, and the share of them that must fit its cadence. */
const LEAST_REPEATS = 8;
const FITTING = 0.9;

export type Fields = {
  /** Which one comes first in pictures that say of themselves that they are whole, as old programs wrote them; null: they are. */
  readonly unstated: FieldOrder | null;
  /** Which one comes first in film that became fields, two and three in turn; null: it did not. */
  readonly telecined: FieldOrder | null;
};

const NONE: Fields = { unstated: null, telecined: null };

/**
 * What is seen of fields in the first 60 pictures of a video. Pictures that do not say that they have any are decoded only if
 * they have a height of fields. docs/decisions/0113, 0183.
 */
export const fieldsOf = async (
  input: readonly string[],
  { size, rotation, interlaced }: Pick<VideoInfo, 'size' | 'interlaced'> & { rotation: number },
  options: FfmpegOptions,
): Promise<Fields> => {
  if (rotation !== 0 || !(interlaced || HEIGHTS.includes(size.height))) return NONE;
  const filters = `metadata=delete,idet=intl_thres=${COMBED}:rep_thres=${REPEATED},metadata=print:file='pipe\\:1':direct=1`;
  const output = ['-map', '0:V:0', '-frames:v', `${PICTURES}`, '-vf', filters, '-f', 'null', '-'];
  const child = startFfmpeg(['-threads', '1', ...input, ...output], options);
  try {
    const told = { tff: 0, bff: 0, progressive: 0 };
    const repeated: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const [, key, value = ''] =
        /^lavfi\.idet\.(multiple|repeated)\.current_frame=(\w+)$/.exec(line) ?? [];
      if (key === 'repeated') repeated.push(value);
      else if (value === 'tff' || value === 'bff' || value === 'progressive') told[value] += 1;
    }
    await endOf(child, options);
    const all = told.tff + told.bff + told.progressive;
    const first = told.tff > told.bff ? 'tff' : 'bff';
    const isFilm = told[first] > 0 && isTelecined(repeated, first);
    const share = isFilm ? FILM_SHARE : SHARE;
    const unstated = !interlaced && all >= LEAST && told[first] >= share * all ? first : null;
    return { unstated, telecined: isFilm && (interlaced || unstated) ? first : null };
  } finally {
    await child.stop();
  }
};

/**
 * repeated: for each frame `top` or `bottom` where that field alone is as in the frame before, as of film in two of five: where a
 * picture ends between the two fields of a frame, the first is an old one, and in one of the next two frames the second is.
 */
export const isTelecined = (repeated: readonly string[], first: FieldOrder): boolean => {
  const [early, late] = first === 'tff' ? ['top', 'bottom'] : ['bottom', 'top'];
  const repeats = repeated.flatMap((field, at) =>
    field === early || field === late ? [{ isLate: field === late, at }] : [],
  );
  const fitting = Array.from({ length: CADENCE }, (_, start) => {
    const fits = repeats.filter(({ isLate, at }) =>
      [0, 1].includes((at - start - (isLate ? 1 : 0) + CADENCE) % CADENCE),
    );
    return fits.length;
  });
  return repeats.length >= LEAST_REPEATS && Math.max(...fitting) >= FITTING * repeats.length;
};
