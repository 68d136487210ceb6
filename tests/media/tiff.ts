/** A field of a TIFF directory: its tag, and its one value, or where its values are or, if they take 4 bytes, these. */
type Field = readonly [tag: number, value: number, type?: number, count?: number];

const LONG = 4;
const DATA_AT = 8;

/** A grey TIFF of one uncompressed strip, little-endian, whose directory stands there `pages` times. */
export const tiffOf = (
  { width, height, bits, data }: { width: number; height: number; bits: 8 | 16 | 32; data: Buffer },
  { pages = 1, more = [] }: { readonly pages?: number; readonly more?: readonly Field[] } = {},
): Buffer => {
  const fields: Field[] = [
    ...([
      [256, width],
      [257, height],
      [258, bits],
      [259, 1],
      [262, 1],
    ] as const),
    ...([
      [273, DATA_AT],
      [277, 1],
      [278, height],
      [279, data.length],
    ] as const),
    ...more,
  ];
  const first = DATA_AT + Math.ceil(data.length / 2) * 2;
  const bytes = 2 + 12 * fields.length + 4;
  const file = Buffer.alloc(first + pages * bytes);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(first, 4);
  data.copy(file, DATA_AT);
  for (let page = 0; page < pages; page += 1) {
    const at = first + page * bytes;
    file.writeUInt16LE(fields.length, at);
    for (const [index, [tag, value, type = LONG, count = 1]] of fields.entries()) {
      const field = at + 2 + 12 * index;
      file.writeUInt16LE(tag, field);
      file.writeUInt16LE(type, field + 2);
      file.writeUInt32LE(count, field + 4);
      file.writeUInt32LE(value, field + 8);
    }
    file.writeUInt32LE(page + 1 < pages ? at + bytes : 0, at + bytes - 4);
  }
  return file;
};
