/** What a result can be. */
import type { OutputFormat } from '../contract/media.ts';
import type { OtherTracks } from './info.ts';

/** How a result is encoded; where one is absent the format's default applies. */
export type EncodingOptions = {
  /** 1 to 100, of jpeg, webp, avif and mp4. */
  readonly quality?: number | undefined;
  /** For webp, avif and mp4; png is always lossless. */
  readonly lossless?: boolean | undefined;
  /** EXIF and XMP of an image, texts, time and place of a video; stripped unless kept. */
  readonly metadata?: 'keep' | 'strip' | undefined;
  /** "#rrggbb", put behind transparency where the format has none; white unless given. */
  readonly background?: string | undefined;
};

/** What ffmpeg does not copy with the texts of a file, or knows only by the name that Apple gives it. */
export type VideoMetadata = {
  /** As ISO 8601, in UTC. */
  readonly creationTime?: string | undefined;
  /** Latitude, longitude and perhaps altitude, as ISO 6709: "+48.1372+011.5756+520/". */
  readonly location?: string | undefined;
};

export const contentType = (format: OutputFormat): string =>
  format === 'mp4' ? 'video/mp4' : `image/${format}`;

/** ffmpeg's names of the sound codecs that players know in MP4: these are copied bit for bit, others become AAC. */
export const COPIED_CODECS: readonly string[] = [
  ...['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'],
];

/** ffmpeg's names of the subtitles that are text, and so can be those of an MP4. */
const TEXT_CODECS: readonly string[] = ['mov_text', 'subrip', 'webvtt', 'ass', 'ssa', 'text'];

/** The subtitles of a video that an MP4 can have. */
export const textSubtitles = ({ subtitles }: OtherTracks): OtherTracks['subtitles'] =>
  subtitles.filter(({ codec }) => TEXT_CODECS.includes(codec));
