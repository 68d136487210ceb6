import { open } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { Failure } from '../../errors.ts';
import { hasSeveral } from '../image/several.ts';
import type { Container } from '../info.ts';
import { isMp3 } from './mp3-frames.ts';
import { COPIED } from './rewrap.ts';

type BaseType<K> = { readonly kind: K; readonly mime: string };
type ContainedType<K> = BaseType<K> & { readonly container: Container };
type MediaType = BaseType<'image'> | ContainedType<'video'> | ContainedType<'audio'>;
type Kind = MediaType['kind'];
type TypeOf<K extends Kind> = Extract<MediaType, { kind: K }>;

const types: readonly MediaType[] = [
  { kind: 'image', mime: 'image/png' },
  { kind: 'image', mime: 'image/jpeg' },
  { kind: 'image', mime: 'image/webp' },
  { kind: 'image', mime: 'image/avif' },
  { kind: 'image', mime: 'image/tiff' },
  { kind: 'image', mime: 'image/bmp' },
  { kind: 'image', mime: 'image/gif' },
  { kind: 'image', mime: 'image/heic' },
  { kind: 'image', mime: 'image/heif' },
  { kind: 'video', mime: 'video/mp4', container: 'mov' },
  { kind: 'video', mime: 'video/x-m4v', container: 'mov' },
  { kind: 'video', mime: 'video/3gpp', container: 'mov' },
  { kind: 'video', mime: 'video/3gpp2', container: 'mov' },
  { kind: 'video', mime: 'video/quicktime', container: 'mov' },
  { kind: 'video', mime: 'video/vnd.avi', container: 'avi' },
  { kind: 'video', mime: 'video/webm', container: 'matroska' },
  { kind: 'video', mime: 'video/matroska', container: 'matroska' },
  { kind: 'video', mime: 'video/mp2t', container: 'mpegts' },
  { kind: 'video', mime: 'video/MP2P', container: 'mpeg' },
  { kind: 'video', mime: 'video/MP1S', container: 'mpeg' },
  { kind: 'video', mime: 'video/x-ms-asf', container: 'asf' },
  { kind: 'video', mime: 'video/x-flv', container: 'flv' },
  { kind: 'video', mime: 'video/ogg', container: 'ogv' },
  // An Ogg that begins with an index (a "skeleton"): Wikimedia's videos do.
  { kind: 'video', mime: 'application/ogg', container: 'ogv' },
  { kind: 'video', mime: 'video/DV', container: 'dv' },
  { kind: 'video', mime: 'application/mxf', container: 'mxf' },
  { kind: 'audio', mime: 'audio/mpeg', container: 'mp3' },
  { kind: 'audio', mime: 'audio/wav', container: 'wav' },
  { kind: 'audio', mime: 'audio/aac', container: 'aac' },
  { kind: 'audio', mime: 'audio/x-m4a', container: 'mov' },
  { kind: 'audio', mime: 'audio/mp4', container: 'mov' },
  { kind: 'audio', mime: 'audio/flac', container: 'flac' },
  { kind: 'audio', mime: 'audio/x-ms-asf', container: 'asf' },
  { kind: 'audio', mime: 'audio/aiff', container: 'aiff' },
  { kind: 'audio', mime: 'audio/x-caf', container: 'caf' },
  { kind: 'audio', mime: 'audio/amr', container: 'amr' },
  // AC-3 and E-AC-3, as they lie in the sound tracks of films.
  { kind: 'audio', mime: 'audio/vnd.dolby.dd-raw', container: 'ac3' },
  { kind: 'audio', mime: 'audio/basic', container: 'au' },
  { kind: 'audio', mime: 'audio/x-w64', container: 'w64' },
  { kind: 'audio', mime: 'audio/wavpack', container: 'wv' },
  { kind: 'audio', mime: 'audio/ogg', container: 'ogg' },
  { kind: 'audio', mime: 'audio/ogg; codecs=opus', container: 'ogg' },
];
const accepted = new Map(types.map((type) => [type.mime, type]));
/** Images that are animated: they are videos without sound. */
const animations: readonly ContainedType<'video'>[] = [
  { kind: 'video', mime: 'image/gif', container: 'gif' },
  { kind: 'video', mime: 'image/apng', container: 'apng' },
  { kind: 'video', mime: 'image/webp', container: 'webp_anim' },
];
/** What no probe reads before `rewrap` has. */
const rewrapped: readonly Container[] = [
  ...COPIED,
  ...animations.map(({ container }) => container),
];
const names: Readonly<Record<Kind, string>> = {
  image: 'an image (PNG, JPEG, WebP, AVIF, HEIC, TIFF, BMP, GIF)',
  video:
    'a video (MP4, MOV, AVI, WebM, MKV, MPEG, WMV, FLV, OGV, DV, MXF, animated GIF, PNG or WebP)',
  audio:
    'a sound (MP3, WAV, AAC, M4A, FLAC, OGG, Opus, WMA, AIFF, CAF, AMR, AC-3, AU, W64, WavPack, or that of a video)',
};
/** What is said of formats whose media types are little known; `came` has both. */
const commonNames: readonly (readonly [mime: RegExp, name: string])[] = [
  [
    /^image\/x-(?:adobe|canon|nikon|sony|fujifilm|olympus|panasonic)-/,
    "a camera's raw file, which has to be developed: export it as a TIFF or PNG",
  ],
  [/^application\/vnd\.rn-realmedia/, 'RealMedia'],
  [/^audio\/x-voc/, 'a Creative Voice sound'],
  [/^image\/vnd\.adobe\.photoshop/, 'a Photoshop document: export it as a TIFF or PNG'],
  [/^image\/jxl/, 'a JPEG XL image: export it as a PNG or JPEG'],
  [/^image\/jp[2xm]/, 'a JPEG 2000 image: export it as a TIFF or PNG'],
  [/^image\/x-icon/, 'an icon: export its largest image as a PNG'],
  [/^image\/x-targa/, 'a Targa image: export it as a PNG'],
  [/^application\/pdf/, 'a PDF: export its page as a PNG'],
];
/** What neither we nor file-type read, by how it begins, in hexadecimal: named, so that its sender knows what to convert. */
const knownStarts: readonly (readonly [start: RegExp, name: string])[] = [
  [/^(?:7ffe8001|fe7f0180|1fffe800|ff1f00e8|4454534844484452)/, 'DTS sound'],
  [/^56[ef]/, 'AAC in LATM, as broadcasters send it: put it into an M4A'],
  [/^.{8}f8726fb[ab]/, 'Dolby TrueHD or MLP sound'],
  [/^5454413[12]/, 'True Audio (TTA) sound'],
  [/^(?:00)?000001(?:[26]7|4001|09[1f]0)/, 'a bare H.264 or H.265 stream: put it into an MP4'],
  [/^444b4946/, 'a bare video stream (IVF): put it into a WebM or MP4'],
  [/^595556344d50454732/, 'uncompressed video (YUV4MPEG2)'],
  [/^6e75742f6d756c7469/, 'a NUT file'],
  [/^762f3101/, 'an OpenEXR image'],
  [/^716f6966/, 'a QOI image'],
];
const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/**
 * What the file is by its content, never by its name; an animated image is a video. Throws unsupported_media_type for what is
 * none of `kinds`, for images that have pages, and for an animated AVIF. An MP4 counts as video here, though it may hold nothing but sound.
 */
export const identify = async <K extends Kind = 'image' | 'video'>(
  path: string,
  kinds?: readonly K[],
): Promise<TypeOf<K>> => {
  const wanted: readonly Kind[] = kinds ?? ['image', 'video'];
  const { type, came } = await inspect(path);
  if (type && isOf<K>(type, wanted)) return type;
  throw unsupported(wanted, came);
};

/** The same for a sound file. Videos pass too, but for animated images, for their sound: `probeAudio` finds out whether they have any. */
export const identifySound = async (path: string): Promise<TypeOf<'audio' | 'video'>> => {
  const { type, came } = await inspect(path);
  if (type?.kind === 'audio' || (type?.kind === 'video' && !SILENT.includes(type.container))) {
    return type;
  }
  throw unsupported(['audio'], came);
};

/** These never have sound. */
const SILENT = animations.map(({ container }) => container);

/** The demuxer of what `rewrap` has to read before a probe can: a stream, or an animated image; null for any other type. */
export const toBeRewrapped = ({ kind, mime }: BaseType<Kind>): Container | null => {
  const all = [...types, ...animations];
  const type = all.find((other) => other.kind === kind && other.mime === mime);
  return type && type.kind !== 'image' && rewrapped.includes(type.container)
    ? type.container
    : null;
};

/** The media type of a file by its content; that of unknown bytes for what is accepted nowhere. */
export const contentTypeOf = async (path: string): Promise<string> =>
  (await inspect(path)).type?.mime ?? 'application/octet-stream';

/** What a file is by its content; undefined for what is accepted nowhere. */
export const kindOf = async (path: string): Promise<Kind | undefined> =>
  (await inspect(path)).type?.kind;

/** `came` states what the content is. */
export const unsupported = (wanted: readonly Kind[], came: string): Failure =>
  new Failure('unsupported_media_type', {
    expected: oneOf.format(wanted.map((kind) => names[kind])),
    came,
  });

const inspect = async (path: string) => {
  const [found, head] = await Promise.all([fileTypeFromFile(path), readHead(path)]);
  const listed = unlisted(head) ?? found?.mime;
  const mime = listed ?? ((await isMp3(path)) ? 'audio/mpeg' : undefined);
  const several = mime !== undefined && (isAnimated(mime, head) || (await hasSeveral(path, mime)));
  const type = several
    ? animations.find((animation) => animation.mime === mime)
    : accepted.get(mime ?? '');
  if (type && isTagged(head) && !(type.kind === 'audio' && TAGGED.includes(type.container))) {
    const came = `${type.mime} behind an ID3 tag, where it cannot be read: remove the tag, or export the file anew`;
    return { type: undefined, came };
  }
  return { type, came: describe(mime, head, several) };
};

const isOf = <K extends Kind>(type: MediaType, wanted: readonly Kind[]): type is TypeOf<K> =>
  wanted.includes(type.kind);

/** What ffmpeg reads behind an ID3 tag at the beginning of a file: file-type looks behind it for every format. */
const TAGGED: readonly Container[] = ['mp3', 'aac', 'flac', 'ogg', 'ac3'];

const isTagged = (head: Buffer): boolean => head.toString('latin1', 0, 3) === 'ID3';

/** What file-type does not know. */
const unlisted = (head: Buffer): string | undefined => {
  if (isRf64(head)) return 'audio/wav';
  if (isSonyWave64(head)) return 'audio/x-w64';
  if (head.toString('latin1', 0, 4) === '.snd') return 'audio/basic';
  if (isCoreAudio(head)) return 'audio/x-caf';
  if (isTarga(head)) return 'image/x-targa';
  return isDv(head) ? 'video/DV' : undefined;
};

/** RF64 in place of RIFF (EBU Tech 3306): a WAV that is larger than 4 GB, or was begun so that it could become that. */
const isRf64 = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RF64' && head.toString('latin1', 8, 12) === 'WAVE';

/** Sony's Wave64: GUIDs where a WAV has four letters, the first one of which is that of "riff". */
const isSonyWave64 = (head: Buffer): boolean =>
  head.toString('hex', 0, 16) === '726966662e91cf11a5d628db04c10000';

/** A CAF, as Apple's programs write it. */
const isCoreAudio = (head: Buffer): boolean => head.toString('latin1', 0, 4) === 'caff';

/** Without a palette, of colours or grey, perhaps run-length coded; file-type takes some for an icon. */
const isTarga = (head: Buffer): boolean =>
  /^..00(?:02|03|0a|0b)0{10}/.test(head.toString('hex', 0, 8)) && head.length >= 18;

/** The header block of a frame (IEC 61834-2), for 50 or 60 fields a second: what a camcorder sends, stored as it is. */
const isDv = (head: Buffer): boolean =>
  head.length >= 4 && (head.readUInt32BE() & 0xffffff7f) === 0x1f07003f;

const describe = (mime: string | undefined, head: Buffer, several: boolean): string => {
  if (head.length === 0) return 'an empty file';
  if (mime === 'image/tiff' && several)
    return `an image of several pages (${mime}), where only one can be taken`;
  if (several && mime === 'image/avif')
    return `an animated image (${mime}): convert it to an animated WebP or an MP4`;
  if (several) return `an animated image (${mime})`;
  if (isSvg(head))
    return 'an SVG drawing (image/svg+xml), which has no pixels: export it as a PNG, of any size';
  if (isWebPage(head))
    return 'a web page (text/html); a link must lead to the file itself, not to a page that shows it';
  if (mime === undefined) return isText(head) ? describeText(head) : describeBytes(head);
  const [, name] = commonNames.find(([known]) => known.test(mime)) ?? [];
  return name ? `${name} (${mime})` : mime;
};

/** What a text probably is. Often a file name: curl sends a file for `-F image=@a.png`, and its name for `-F image=a.png`. */
const describeText = (head: Buffer): string => {
  const text = head.toString().trim();
  if (/^https?:\/\/\S+$/.test(text))
    return 'text, the address of a file: it belongs in image_url, video_url or audio_url';
  if (/^[^\n]{1,255}\.[a-z0-9]{2,5}$/i.test(text))
    return 'text, the name of a file: curl sends the file itself where @ stands before the name';
  if (text.startsWith('version https://git-lfs.'))
    return 'text, what Git LFS keeps in the place of a file: fetch the file itself by "git lfs pull"';
  if (/^(data:[\w/+.-]+;base64,)?[\w+/-]{60,}[\w+/=\s-]*$/.test(text))
    return 'text in base64: send the bytes that it stands for';
  return 'text';
};

const describeBytes = (head: Buffer): string => {
  const [, name] = knownStarts.find(([start]) => start.test(head.toString('hex', 0, 16))) ?? [];
  return name ?? 'a file of unknown type';
};

/** Whether the first element is `svg`; a declaration, comments and a document type may come before it. */
const isSvg = (head: Buffer): boolean => /^\s*(?:<[?!][^>]*>\s*)*<svg[\s>]/.test(head.toString());
const isWebPage = (head: Buffer): boolean =>
  /^\s*(?:<[?!][^>]*>\s*)*(?:<!doctype html|<(?:html|head)[\s>])/i.test(head.toString());

const isAnimated = (mime: string, head: Buffer): boolean => {
  if (mime === 'image/apng') return true;
  // RIFF, size, "WEBP", "VP8X", size, then a byte of flags whose bit 1 is animation.
  if (mime === 'image/webp') {
    return head.toString('latin1', 12, 16) === 'VP8X' && ((head[20] ?? 0) & 2) !== 0;
  }
  // An image sequence says so by a brand in its first box: size, "ftyp", major, version, others.
  if (mime === 'image/avif') {
    return /avis|msf1/.test(head.toString('latin1', 8, head.readUInt32BE(0)));
  }
  return false;
};

const isText = (head: Buffer): boolean => {
  try {
    // The head may end within a character, which `stream` permits.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
};

const readHead = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};
