import { z } from 'zod';
import type { Size } from '../../frame.ts';
import { isSurround, remapOf } from '../channels.ts';
import type { FfmpegOptions } from '../ffmpeg.ts';
import type { AudioTrack, OtherTracks } from '../info.ts';
import { undecodable, unreadable } from '../outcome.ts';
import { COPIED_CODECS } from '../output.ts';
import { askFfprobe } from './ffprobe.ts';
import { OWN_TAGS } from './rewrap.ts';

/** What the header of a file says of its streams. */
export type Streams = {
  /** The first video stream that is not cover art; null where there is none. */
  readonly video: VideoStream | null;
  readonly audio: readonly AudioTrack[];
  readonly others: OtherTracks;
  /** How long the file is stated to be, where it was put into this container (`rewrap.ts`); else null. */
  readonly statedSeconds: number | null;
  /** How long the first sound is stated to be; null where the header does not say. */
  readonly soundSeconds: number | null;
};

type VideoStream = {
  readonly codec: string;
  /** What the file calls its codec; empty where that is no word. */
  readonly tag: string;
  /** null where the header does not say. */
  readonly size: Size | null;
  /** Whether its pictures are two fields each. */
  readonly interlaced: boolean;
  readonly rotation: Rotation;
  /** Whether a VP8 or VP9 is transparent: that is a second picture beside the one that ffmpeg decodes. */
  readonly alpha: boolean;
};

/** Degrees clockwise by which pictures are turned to be shown. */
export type Rotation = 0 | 90 | 180 | 270;

/** More than any camera or editor writes. */
const MOST_STREAMS = 32;
/** The most channels that have to be encoded again. 31 tracks of 8 took 1.2 s per second, and sound costs no credits. */
const MOST_CHANNELS = 32;

const entries = [
  'stream=codec_type,codec_name,codec_tag_string,width,height,field_order,sample_rate,channels,channel_layout,duration',
  'stream_disposition=attached_pic',
  'stream_side_data=rotation',
  'stream_tags=alpha_mode',
  'chapter=id',
  `format_tags=${Object.values(OWN_TAGS).join()}`,
].join(':');

export const SideData = z.array(z.object({ rotation: z.number().optional() })).default([]);

const HeaderOutput = z.object({
  streams: z.array(
    z.object({
      codec_type: z.string().optional(),
      codec_name: z.string().default('unknown'),
      codec_tag_string: z.string().default(''),
      width: z.number().default(0),
      height: z.number().default(0),
      field_order: z.string().optional(),
      sample_rate: z.coerce.number().catch(0).default(0),
      channels: z.number().default(0),
      channel_layout: z.string().optional(),
      duration: z.coerce.number().optional().catch(undefined),
      disposition: z.object({ attached_pic: z.number() }).optional(),
      side_data_list: SideData,
      tags: z.object({ alpha_mode: z.string().optional() }).optional(),
    }),
  ),
  chapters: z.array(z.unknown()).default([]),
  format: z
    .object({
      tags: z
        .object({
          // Anybody can write such tags: other texts are ignored.
          [OWN_TAGS.leftOut]: z
            .string()
            .regex(/^[a-z0-9_,]{1,200}$/)
            .optional()
            .catch(undefined),
          [OWN_TAGS.statedSeconds]: z.coerce.number().positive().optional().catch(undefined),
          [OWN_TAGS.transparent]: z.literal('true').optional().catch(undefined),
        })
        .default({}),
    })
    .default({ tags: {} }),
});

/**
 * Reads the header and decodes nothing. Sound of a codec that is not known is left out: nothing could be done with it.
 * Throws media_unreadable.
 */
export const readStreams = async (
  input: readonly string[],
  options: FfmpegOptions,
): Promise<Streams> => {
  const args = [...input, '-show_entries', entries];
  const { output, exit } = await askFfprobe(args, HeaderOutput, options);
  if (!output) throw unreadable(undecodable(exit.errorText, 'its data'));
  const { streams, chapters, format } = output;
  if (streams.length > MOST_STREAMS) {
    throw unreadable(`expected at most ${MOST_STREAMS} streams; got ${streams.length}`);
  }
  checkChannels(streams);
  const [video, ...videos] = streams.filter(
    ({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic,
  );
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio');
  const audio = audioOf(sounds);
  const {
    [OWN_TAGS.leftOut]: lost,
    [OWN_TAGS.statedSeconds]: stated,
    [OWN_TAGS.transparent]: transparent,
  } = format.tags;
  return {
    video: video ? videoOf(video, transparent === 'true') : null,
    audio,
    others: {
      subtitles: subtitlesOf(streams),
      ...(lost && { lostSubtitles: lost.split(',') }),
      chapters: chapters.length,
      videos: videos.length,
      sounds: sounds.length - audio.length,
    },
    statedSeconds: stated ?? null,
    soundSeconds: sounds[0]?.duration ?? null,
  };
};

type Stream = z.output<typeof HeaderOutput>['streams'][number];

const checkChannels = (streams: readonly Stream[]): void => {
  const channels = streams
    .filter(
      ({ codec_type, codec_name }) => codec_type === 'audio' && !COPIED_CODECS.includes(codec_name),
    )
    .reduce((sum, stream) => sum + stream.channels, 0);
  if (channels <= MOST_CHANNELS) return;
  const many = `${channels} audio channels that have to be encoded again for MP4`;
  throw unreadable(`it has ${many}; at most ${MOST_CHANNELS} are allowed`);
};

const videoOf = (stream: Stream, transparent: boolean): VideoStream => ({
  codec: stream.codec_name,
  tag: /^\w{4}$/.exec(stream.codec_tag_string)?.[0] ?? '',
  size: stream.width > 0 && stream.height > 0 ? stream : null,
  interlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order ?? ''),
  rotation: rotationOf(stream.side_data_list) ?? 0,
  alpha: transparent || stream.tags?.alpha_mode === '1',
});

const audioOf = (sounds: readonly Stream[]): AudioTrack[] =>
  sounds
    .map(({ codec_name, sample_rate, channels, channel_layout }, index) => {
      const remap = remapOf(channels, channel_layout);
      return {
        index,
        codec: codec_name,
        sampleRate: sample_rate,
        mono: channels === 1,
        ...(isSurround(channels, codec_name, channel_layout) && { surround: true as const }),
        ...(remap && { remap }),
      };
    })
    .filter(({ codec }) => !['unknown', 'none'].includes(codec));

const subtitlesOf = (streams: readonly Stream[]): OtherTracks['subtitles'] =>
  streams
    .filter(({ codec_type }) => codec_type === 'subtitle')
    .map(({ codec_name: codec }, index) => ({ index, codec }));

/** ffprobe states the rotation counter-clockwise. null where it states none. */
export const rotationOf = (sideData: z.output<typeof SideData>): Rotation | null => {
  const stated = sideData.find(({ rotation }) => rotation !== undefined)?.rotation;
  if (stated === undefined) return null;
  const degrees = (360 - Math.round(stated)) % 360;
  return degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0;
};
