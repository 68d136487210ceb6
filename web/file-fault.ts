/** Why a file is not sent, or not taken. Pure. */
import type { MediaKind } from '../src/contract/media.ts';
import { bytesText } from './words.ts';

type Given = {
  readonly name: string;
  readonly kind: MediaKind | undefined;
  readonly content: Blob | string;
};
type Place = {
  /** Whether pictures and videos belong there, or sounds. */
  readonly isVisual: boolean;
  /** The largest file of a kind; undefined where that is not known. */
  readonly mostBytes: (kind: MediaKind) => number | undefined;
};

/** A sentence; undefined for a file that fits, as far as can be told without looking inside. */
export const faultOf = (
  { content, name, kind }: Given,
  { isVisual, mostBytes }: Place,
): string | undefined => {
  if (kind && !fits(kind, isVisual)) return otherKind(name, isVisual, singular[kind]);
  if (typeof content === 'string') return undefined;
  if (content.size === 0) return `“${name}” is empty.`;
  const most = mostBytes(kind ?? (isVisual ? 'video' : 'audio'));
  if (most === undefined || content.size <= most) return undefined;
  return `“${name}” has ${bytesText(content.size)}; at most ${bytesText(most)} are allowed. Nothing was sent.`;
};

const singular = { image: 'a picture', video: 'a video', audio: 'a sound' } as const;

/** What is said of a file of another kind, by its name or by what the service found in it. */
export const otherKind = (name: string, isVisual: boolean, came = 'something else'): string =>
  `Expected ${isVisual ? visual : sound}; “${name}” is ${came}.`;

/** What the service found, by its refusal: it ends with that. */
export const cameOf = (refusal: string): string | undefined => /; got (.+)\.$/.exec(refusal)?.[1];

/** The formats as the service names them; a test compares the two. */
const visual =
  'a picture (PNG, JPEG, WebP, AVIF, HEIC, TIFF, BMP, GIF) or a video (MP4, MOV, AVI, WebM, MKV, MPEG, WMV, FLV, OGV, DV, MXF, animated GIF, PNG or WebP)';
const sound =
  'a recording (MP3, WAV, AAC, M4A, FLAC, OGG, Opus, WMA, AIFF, CAF, AMR, AC-3, AU, W64, WavPack) or a video with sound';

/** A clip may be the sound, too: the service takes its sound track. */
export const fits = (kind: MediaKind | undefined, isVisual: boolean): boolean =>
  kind === undefined || (isVisual ? kind !== 'audio' : kind !== 'image');
