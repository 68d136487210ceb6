/**
 * What a probe finds out about a file. Each schema's values survive JSON unchanged: a job's record holds them, and they
 * are checked when they are read back.
 */
import { z } from 'zod';
import { ImageFormat } from '../contract/media.ts';

/** The field that comes first: the one of the top line, or of the bottom line. */
const FieldOrder = z.enum(['tff', 'bff']);
export type FieldOrder = z.infer<typeof FieldOrder>;

/** The demuxer that reads a file, by its content; `ffmpeg.ts` has ffmpeg's names. */
export const Container = z.enum([
  'mov',
  'avi',
  'matroska',
  'mpegts',
  'mpeg',
  'asf',
  'flv',
  'ogv',
  'dv',
  'mxf',
  'gif',
  'apng',
  'webp_anim',
  'mp3',
  'wav',
  'aiff',
  'caf',
  'amr',
  'ac3',
  'au',
  'w64',
  'wv',
  'aac',
  'flac',
  'ogg',
]);
export type Container = z.infer<typeof Container>;

const Size = z.object({ width: z.int().positive(), height: z.int().positive() }).readonly();

/** What an image can be that a caller sends: the formats of results, and some that are only accepted. */
const SourceFormat = z.enum([...ImageFormat.options, 'tiff', 'bmp', 'gif', 'heic']);
export type SourceFormat = z.infer<typeof SourceFormat>;

/** How an image in HDR codes its light and colours. PQ is SMPTE ST 2084, HLG is ARIB STD-B67. */
const Hdr = z
  .object({ transfer: z.enum(['pq', 'hlg']), primaries: z.enum(['bt709', 'p3', 'bt2020']) })
  .readonly();
export type Hdr = z.infer<typeof Hdr>;

/** What the header of an image says; no pixel is decoded. */
export const ImageInfo = z
  .object({
    kind: z.literal('image'),
    /** As shown: after EXIF orientation. */
    size: Size,
    alpha: z.boolean(),
    gray: z.boolean(),
    format: SourceFormat,
    /** Bits of each sample, where a PNG or TIFF has 16; absent: 8, or what is treated as 8. */
    depth: z.literal(16).optional(),
    /** The 16-bit layout of pixels that have an ICC profile: sharp converts these wrongly unless told how. */
    profile: z.enum(['rgb16', 'grey16']).nullable(),
    /** How it codes light, if it is HDR; absent: it is not in HDR, or a record of a version that did not measure it. */
    hdr: Hdr.optional(),
    /** Whether the file states Display P3 without an ICC profile (`transfer.ts`). */
    p3: z.literal(true).optional(),
    /** ReferenceBlackWhite of a TIFF in Y, Cb, Cr: codes of black and white, then of zero and the most for Cb and for Cr. */
    ycbcr: z.array(z.number()).length(6).readonly().optional(),
    /** Whether there is EXIF or XMP to keep. */
    metadata: z.boolean(),
    /** Bits per pixel of a lossy WebP or an AVIF; absent: another format, or a record of a version that did not measure it. */
    lossyBits: z.number().positive().optional(),
    /** By how many levels a JPEG rounded its low frequencies, 13.2 at quality 50; absent as `lossyBits` is. */
    jpegStep: z.number().positive().optional(),
  })
  .readonly();
export type ImageInfo = z.infer<typeof ImageInfo>;

/** A fraction as ffmpeg writes it: seconds per tick, or the width of a pixel by its height. */
export const Ratio = z.object({ num: z.int(), den: z.int().positive() }).readonly();
export type Ratio = z.infer<typeof Ratio>;

/** How the codes of a video become colours, in ffmpeg's names. */
export const Colour = z
  .object({
    /** The YUV matrix; where the file names none, the one that players assume for its size. null: the codes are RGB. */
    matrix: z.string().nullable(),
    fullRange: z.boolean(),
    /** null where the file does not say. */
    primaries: z.string().nullable(),
    transfer: z.string().nullable(),
  })
  .readonly();
export type Colour = z.infer<typeof Colour>;

/**
 * Where a chroma sample lies among the four luma samples that share it. Most videos have it in the middle of their left side, HDR
 * on discs at their top left one, JPEG and MPEG-1 in their centre; a rotation moves it. Sides and corners are named clockwise.
 */
export const ChromaPosition = z.enum([
  ...['left', 'top', 'right', 'bottom', 'centre'],
  ...['topleft', 'topright', 'bottomright', 'bottomleft'],
] as const);
export type ChromaPosition = z.infer<typeof ChromaPosition>;

/** The filter of `channels.ts` for a sound whose channels cannot be mixed or encoded as the file names them. */
const Remap = z.string().optional();

export const AudioTrack = z
  .object({
    /** Its place among the sound tracks of the file, from 0. */
    index: z.int().min(0),
    codec: z.string(),
    /** Samples per second, as the header says; 0 where it does not. */
    sampleRate: z.number().min(0),
    mono: z.boolean(),
    /** It has more than two channels, each for a loudspeaker that is known, as far as the header says. */
    surround: z.literal(true).optional(),
    remap: Remap,
  })
  .readonly();
export type AudioTrack = z.infer<typeof AudioTrack>;

/** What a video has besides the pictures and the sounds that are read. */
export const OtherTracks = z
  .object({
    /** `index`: a track's place among the subtitle tracks of the file, from 0. */
    subtitles: z.array(z.object({ index: z.int().min(0), codec: z.string() })).readonly(),
    /** The codecs of further ones that the file as it was sent has, such as teletext; absent: none. */
    lostSubtitles: z.array(z.string()).readonly().optional(),
    chapters: z.int().min(0),
    /** Further video tracks; cover art does not count. */
    videos: z.int().min(0),
    /** Sound tracks that ffmpeg cannot read. */
    sounds: z.int().min(0),
  })
  .readonly();
export type OtherTracks = z.infer<typeof OtherTracks>;

export const NO_OTHERS: OtherTracks = { subtitles: [], chapters: 0, videos: 0, sounds: 0 };

/** What a video is: exact, from all its packets and its first decoded picture. */
export const VideoInfo = z
  .object({
    kind: z.literal('video'),
    container: Container,
    /** What its pictures are coded with, as ffmpeg names it; absent in records of older versions. */
    codec: z.string().optional(),
    /** As shown: after rotation. */
    size: Size,
    /** When the first picture is shown, on the clock of the frames that `decodeVideo` gives. */
    startSeconds: z.number(),
    /** Length of the video stream, from its first picture to the end of its last. */
    durationSeconds: z.number(),
    /** Length of the whole file, sound included. */
    mediaSeconds: z.number(),
    /** What its header states, only where that is more than there is: the end is missing. */
    statedSeconds: z.number().positive().optional(),
    /** When that begins, on the clock of `startSeconds`; absent in records of older versions. */
    mediaStart: z.number().default(0),
    /**
     * When key frames are shown, on the same clock: where a decoder may start. At most 200, spread over the whole; none in
     * records of older versions.
     */
    keyFrames: z.array(z.number()).readonly().default([]),
    /** Bits per pixel of the median key frame; absent in records of older versions, and where there is no key frame. */
    keyBits: z.number().positive().optional(),
    /** Packets of the video stream: the total for progress. */
    frames: z.int().positive(),
    /** The mean rate, in frames per second. */
    fps: z.number(),
    /** Whether every picture is shown equally long. */
    constantRate: z.boolean(),
    lastFrameSeconds: z.number(),
    /** Seconds per tick of the stream's clock: the times of its pictures are multiples of it. */
    timeBase: Ratio,
    sampleAspect: Ratio,
    pixelFormat: z.string(),
    /** Whether its pictures can be transparent, which those that are decoded are not; absent in records of older versions. */
    alpha: z.boolean().default(false),
    colour: Colour,
    /** Where chroma lies in a picture as shown: after rotation. */
    chroma: ChromaPosition,
    interlaced: z.boolean(),
    /** Which field comes first where the pictures themselves do not say that they have fields; else absent. */
    fields: FieldOrder.optional(),
    /** Which field comes first in film that became fields, two and three in turn; absent: it is no such film. */
    telecined: FieldOrder.optional(),
    hasAudio: z.boolean(),
    /** Every sound track that ffmpeg can read. */
    audio: z.array(AudioTrack).readonly(),
    /** Absent in records of older versions. */
    others: OtherTracks.default(NO_OTHERS),
  })
  .readonly();
export type VideoInfo = z.infer<typeof VideoInfo>;

/** What a sound file is: exact, every sample was decoded once. */
export const AudioInfo = z
  .object({
    kind: z.literal('audio'),
    container: Container,
    codec: z.string(),
    /** Without the encoder's delay, where the file states that. */
    durationSeconds: z.number().positive(),
    /** What its header states, only where that is more than there is: the end is missing, or parts are damaged. */
    statedSeconds: z.number().positive().optional(),
    /** Samples per second. */
    sampleRate: z.int().positive(),
    channels: z.int().positive(),
    remap: Remap,
    /** The channel that the models hear in place of the mix: left where two cancel each other out, as of a cable that is wired
     * wrongly; left or right where only that one holds all that is said, and clearly; centre where it holds a voice beside what
     * is in the others, as in a film. */
    alone: z.enum(['left', 'right', 'centre']).optional(),
  })
  .readonly();
export type AudioInfo = z.infer<typeof AudioInfo>;

/** What there is to enhance: an image, or a video. */
export const MediaInfo = z.discriminatedUnion('kind', [ImageInfo, VideoInfo]);
export type MediaInfo = z.infer<typeof MediaInfo>;
