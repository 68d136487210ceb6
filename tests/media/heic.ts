/** HEIC as phones write it: tiles of HEVC that are put together and turned, with a colour profile and EXIF (ISO 23008-12). */
import { readFile, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import type { Sharp } from 'sharp';
import type { Size } from '../../src/frame.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';

type Heic = {
  /** The side of its tiles; without them it is one picture. */
  readonly tile?: number;
  /** Quarter turns counter-clockwise that a viewer makes. */
  readonly turns?: number;
  readonly profile?: Buffer | undefined;
  /** From the byte order of its TIFF on. */
  readonly exif?: Buffer;
  /** Which says that its codes are HLG; else nothing does, although the file has such a property. */
  readonly hlg?: 'picture' | 'tiles';
  /** Whether there is a second picture that says how opaque the first is. */
  readonly alpha?: boolean;
};

type Item = {
  readonly type: 'hvc1' | 'grid' | 'Exif';
  readonly bytes: Buffer;
  readonly hidden?: boolean;
  /** Counted from 1. */
  readonly properties?: readonly number[];
  readonly refersTo?: readonly [string, readonly number[]];
};

/** Writes it to `path`, and a film of its tiles beside it. Sides: even, at least 64. */
export const makeHeic = async (
  path: string,
  picture: Sharp,
  { tile, turns = 0, profile, exif, hlg, alpha }: Heic = {},
): Promise<string> => {
  const { info } = await picture.clone().raw().toBuffer({ resolveWithObject: true });
  const piece: Size = tile ? { width: tile, height: tile } : info;
  const [columns, rows] = [
    Math.ceil(info.width / piece.width),
    Math.ceil(info.height / piece.height),
  ];
  const size = { width: columns * piece.width, height: rows * piece.height };
  const [right, bottom] = [size.width - info.width, size.height - info.height];
  const padded = picture.clone().extend({ right, bottom, extendWith: 'copy' });
  const { hvcC, tiles } = await hevcOf(path, padded, size, `${columns}x${rows}`);

  const [first = Buffer.alloc(0)] = tiles;
  const primary = tile ? tiles.length + 1 : 1;
  const layout = Buffer.from([0, 0, rows - 1, columns - 1]);
  const grid = Buffer.concat([layout, u16(info.width, info.height)]);
  const order = tiles.map((_, at) => at + 1);
  const colour = hlg === 'picture' ? 7 : 5;
  const items: readonly Item[] = [
    ...tiles.map(
      (bytes): Item =>
        tile
          ? { type: 'hvc1', bytes, hidden: true, properties: hlg === 'tiles' ? [1, 2, 7] : [1, 2] }
          : { type: 'hvc1', bytes, properties: [1, 2, 4, colour] },
    ),
    ...when<Item>(tile, {
      type: 'grid',
      bytes: grid,
      properties: hlg === 'tiles' ? [3, 4] : [3, 4, colour],
      refersTo: ['dimg', order],
    }),
    ...when<Item>(exif, {
      type: 'Exif',
      bytes: Buffer.concat([u32(0), exif ?? layout]),
      refersTo: ['cdsc', [primary]],
    }),
    ...when<Item>(alpha, {
      type: 'hvc1',
      bytes: first,
      properties: [1, 2, 6],
      refersTo: ['auxl', [primary]],
    }),
  ];
  const properties = [
    hvcC,
    full('ispe', 0, u32(piece.width, piece.height)),
    full('ispe', 0, u32(info.width, info.height)),
    box('irot', Buffer.from([turns])),
    profile ? box('colr', text('prof'), profile) : box('colr', text('nclx'), SRGB),
    full('auxC', 0, text('urn:mpeg:hevc:2015:auxid:1\0')),
    box('colr', text('nclx'), HLG),
  ];
  const brands = box('ftyp', text('heic'), u32(0), text('mif1heic'));
  const meta = (from: number) => metaOf({ primary, items, properties, from });
  const content = brands.length + meta(0).length + 8;
  const data = box('mdat', ...items.map(({ bytes }) => bytes));
  await writeFile(path, Buffer.concat([brands, meta(content), data]));
  return path;
};

const when = <T>(condition: unknown, value: T): T[] => (condition ? [value] : []);

/** Primaries, transfer and matrix; codes of the full range. */
const SRGB = Buffer.from([0, 1, 0, 13, 0, 6, 0x80]);
const HLG = Buffer.from([0, 9, 0, 18, 0, 6, 0x80]);

/** `from`: where in the file the bytes of the first item are. */
const metaOf = ({
  primary,
  items,
  properties,
  from,
}: {
  readonly primary: number;
  readonly items: readonly Item[];
  readonly properties: readonly Buffer[];
  readonly from: number;
}): Buffer => {
  let at = from;
  const infos: Buffer[] = [];
  const places: Buffer[] = [];
  const uses: Buffer[] = [];
  const references: Buffer[] = [];
  for (const [index, item] of items.entries()) {
    const id = u16(index + 1);
    infos.push(
      full(
        'infe',
        0x0200_0000 + Number(item.hidden ?? false),
        id,
        u16(0),
        text(item.type),
        text('\0'),
      ),
    );
    places.push(id, u16(0, 1), u32(at, item.bytes.length));
    at += item.bytes.length;
    const used = item.properties ?? [];
    if (used.length) uses.push(Buffer.concat([id, Buffer.from([used.length, ...used])]));
    const [kind, others] = item.refersTo ?? [];
    if (kind && others) references.push(box(kind, id, u16(others.length, ...others)));
  }
  return full(
    'meta',
    0,
    full('hdlr', 0, u32(0), text('pict'), u32(0, 0, 0), text('\0')),
    full('pitm', 0, u16(primary)),
    full('iinf', 0, u16(items.length), ...infos),
    ...when(references.length, full('iref', 0, ...references)),
    box('iprp', box('ipco', ...properties), full('ipma', 0, u32(uses.length), ...uses)),
    full('iloc', 0, Buffer.from([0x44, 0]), u16(items.length), ...places),
  );
};

/** Each tile is a picture of a film whose pictures know nothing of each other. */
const hevcOf = async (path: string, padded: Sharp, { width, height }: Size, layout: string) => {
  const film = `${path}.mp4`;
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-i', 'pipe:0'];
  const codes = 'scale=out_range=pc:out_color_matrix=smpte170m,format=yuvj420p';
  await execa(
    ffmpegPath,
    [
      ...['-v', 'error', '-y', ...raw, '-vf', `untile=${layout},${codes}`],
      ...['-c:v', 'libx265', '-x265-params', 'keyint=1:info=0:log-level=none', '-crf', '8'],
      ...['-tag:v', 'hvc1', film],
    ],
    { input: await padded.raw().toBuffer() },
  );
  const bytes = await readFile(film);
  const sizes = bytes.indexOf('stsz') + 12;
  let at = bytes.readUInt32BE(bytes.indexOf('stco') + 12);
  const tiles = Array.from({ length: bytes.readUInt32BE(sizes) }, (_, index) => {
    // Where all have the same size it stands once, before their number.
    const length = bytes.readUInt32BE(sizes - 4) || bytes.readUInt32BE(sizes + 4 + 4 * index);
    at += length;
    return bytes.subarray(at - length, at);
  });
  const from = bytes.indexOf('hvcC') - 4;
  return { hvcC: bytes.subarray(from, from + bytes.readUInt32BE(from)), tiles };
};

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(8 + body.length), text(type), body]);
};
/** One that begins with a version and flags. */
const full = (type: string, head: number, ...content: Buffer[]): Buffer =>
  box(type, u32(head), ...content);
const text = (characters: string): Buffer => Buffer.from(characters, 'latin1');
const u16 = (...numbers: number[]): Buffer =>
  Buffer.concat(numbers.map((number) => Buffer.from([number >> 8, number & 255])));
const u32 = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * at);
  return bytes;
};
