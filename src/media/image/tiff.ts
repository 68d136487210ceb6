/** The first directory of a TIFF (6.0, or BigTIFF, whose numbers are longer). */
import { type FileWindow, openFileWindow } from '../file-window.ts';

/** Numbers of fields are in ascending order; no field that is looked for has a larger one. */
const LAST_FIELD = 532;
const [COMPRESSION, PHOTOMETRIC, SUBSAMPLING, REFERENCE] = [259, 262, 530, LAST_FIELD] as const;
const YCBCR = 6;
/** Compressions whose decoders give RGB. */
const JPEGS: readonly number[] = [6, 7];

/** Whether another picture follows the first. Where the structure is broken the answer is no. */
export const severalInTiff = async (file: FileWindow): Promise<boolean> => {
  const { number, format, from, entries } = await directoryIn(file);
  return (await number(from + format.entry * entries, format.offset)) !== 0;
};

/** Where a TIFF stores Y, Cb and Cr. */
type YCbCr = {
  /** The code of black and of white for Y, of zero and of the most for Cb and for Cr. */
  readonly reference: readonly number[];
  /** Whether Cb and Cr have fewer pixels than Y. */
  readonly isSubsampled: boolean;
};

/** Undefined: the TIFF stores other colours, or JPEGs, which state these themselves. */
export const ycbcrOf = async (path: string): Promise<YCbCr | undefined> => {
  const file = await openFileWindow(path);
  try {
    const fields = await fieldsIn(file);
    const [compression = 1] = fields.get(COMPRESSION) ?? [];
    if (fields.get(PHOTOMETRIC)?.[0] !== YCBCR || JPEGS.includes(compression)) return undefined;
    const [across = 2, down = 2] = fields.get(SUBSAMPLING) ?? [];
    const reference = fields.get(REFERENCE) ?? [];
    const isUsed = [0, 2, 4].every((i) => (reference[i] ?? 0) < (reference[i + 1] ?? 0));
    return { reference: isUsed ? reference : FULL_RANGE, isSubsampled: across * down > 1 };
  } finally {
    await file.close();
  }
};

const FULL_RANGE: readonly number[] = [0, 255, 128, 255, 128, 255];

/** The numbers of those fields that have some, by the field's number. */
const fieldsIn = async (file: FileWindow): Promise<Map<number, readonly number[]>> => {
  const { number, format, from, entries } = await directoryIn(file);
  const fields = new Map<number, readonly number[]>();
  for (let i = 0; i < Math.min(entries, MOST_FIELDS); i += 1) {
    const at = from + format.entry * i;
    const [field, type] = [await number(at, 2), await number(at + 2, 2)];
    if (field > LAST_FIELD || at > file.size) break;
    const count = await number(at + 4, format.offset);
    const bytes = BYTES[type];
    if (!bytes || count > MOST_NUMBERS) continue;
    const value = at + 4 + format.offset;
    const first = count * bytes > format.offset ? await number(value, format.offset) : value;
    const numbers: number[] = [];
    for (let place = first; numbers.length < count; place += bytes) {
      if (bytes === 8) numbers.push((await number(place, 4)) / (await number(place + 4, 4)));
      else numbers.push(await number(place, bytes));
    }
    fields.set(field, numbers);
  }
  return fields;
};

/** Bytes of a number, by type: 16 bits, 32 bits, and fractions of two of these. */
const BYTES: Readonly<Record<number, 2 | 4 | 8>> = { 3: 2, 4: 4, 5: 8 };
const MOST_NUMBERS = 6;
const MOST_FIELDS = 65_535; // of a TIFF; a BigTIFF may have more

/** number: reads an unsigned one, 0 beyond the end of the file. from: where the first of the entries begins. */
const directoryIn = async (file: FileWindow) => {
  const number = async (at: number, bytes: 2 | 4 | 8): Promise<number> => {
    if (at + bytes > file.size) return 0;
    const read = await file.read(at, bytes);
    // Of 8 bytes Node reads 6 as one number: no file is so large that the others say anything.
    const used = Math.min(bytes, 6);
    return little ? read.readUIntLE(0, used) : read.readUIntBE(bytes - used, used);
  };
  const little = file.size > 0 && (await file.read(0, 1))[0] === 0x49;
  const format = (await number(2, 2)) === BIG ? bigTiff : tiff;
  const first = await number(format.start, format.offset);
  return { number, format, from: first + format.count, entries: await number(first, format.count) };
};

const BIG = 43;
/** Where the offset of the first directory is; bytes of an offset, of a directory's number of entries, and of an entry. */
const tiff = { start: 4, offset: 4, count: 2, entry: 12 } as const;
const bigTiff = { start: 8, offset: 8, count: 8, entry: 20 } as const;
