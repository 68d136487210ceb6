import type { Size } from '../frame.ts';
import type { Container } from './ffmpeg.ts';

/** What a probe tells of a picture without decoding it. */
export type ImageInfo = {
  readonly kind: 'image';
  /** As shown: after EXIF orientation. */
  readonly size: Size;
  readonly alpha: boolean;
  readonly gray: boolean;
  readonly format: 'png' | 'jpeg' | 'webp' | 'avif';
  /** The deep kind of pixels that has an ICC profile; those need care. */
  readonly profile: 'rgb16' | 'grey16' | null;
  /** Whether there is EXIF or XMP to keep. */
  readonly metadata: boolean;
};

/** A fraction as ffmpeg writes it: seconds per tick, or the shape of a pixel. */
export type Ratio = { readonly num: number; readonly den: number };

/** How the codes of a video become colours, in ffmpeg's names. */
export type Colour = {
  /** The YUV matrix, by the picture's size where the file does not say, as players do. null: the codes are RGB. */
  readonly matrix: string | null;
  readonly fullRange: boolean;
  /** null where the file does not say. */
  readonly primaries: string | null;
  readonly transfer: string | null;
};

/** H.264 and most others put it on the left columns, whence a rotation takes it elsewhere; JPEG between all. */
export type ChromaPlace = 'left' | 'top' | 'right' | 'bottom' | 'centre';

export type AudioTrack = {
  /** Its place among the sound tracks of the file. */
  readonly index: number;
  readonly codec: string;
  /** Samples a second and whether there is one channel only, as the header says; 0 where it does not. */
  readonly sampleRate: number;
  readonly mono: boolean;
};

/** What a probe tells of a video: exact, from all its packets and its first decoded picture. */
export type VideoInfo = {
  readonly kind: 'video';
  readonly container: Container;
  /** As shown: after rotation. */
  readonly size: Size;
  /** When the first picture is shown, on the clock that `decodeVideo` tells times in. */
  readonly startSeconds: number;
  /** Of the video stream, from its first picture to the end of its last. */
  readonly durationSeconds: number;
  /** Of the whole file, sound included. */
  readonly mediaSeconds: number;
  /** Packets of the video stream: the total for progress. */
  readonly frames: number;
  /** The mean rate. */
  readonly fps: number;
  /** Whether every picture is shown equally long. */
  readonly constantRate: boolean;
  readonly lastFrameSeconds: number;
  /** Seconds per tick of the stream's clock: the times of its pictures are multiples of it. */
  readonly timeBase: Ratio;
  readonly sampleAspect: Ratio;
  readonly pixelFormat: string;
  readonly colour: Colour;
  /** Where chroma lies among the luma of a picture as shown. */
  readonly chroma: ChromaPlace;
  readonly interlaced: boolean;
  readonly hasAudio: boolean;
  /** Every sound track that ffmpeg can read. */
  readonly audio: readonly AudioTrack[];
};

/** What a probe tells of a sound file, or of the sound of a video: exact, every sample was decoded once. */
export type AudioInfo = {
  readonly kind: 'audio';
  readonly container: Container;
  readonly codec: string;
  /** Without the encoder's delay, where the file tells that. */
  readonly durationSeconds: number;
  readonly sampleRate: number;
  readonly channels: number;
};

export type MediaInfo = ImageInfo | VideoInfo;
