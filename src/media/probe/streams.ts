import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Size } from '../../frame.ts';
import type { AudioTrack } from '../info.ts';
import { unreadable } from '../outcome.ts';
import { copiedSound } from '../write/output.ts';
import { askFfprobe } from './ffprobe.ts';

/** What the header of a file says of its streams. */
export type Streams = {
  /** The first moving picture; cover art is none. null when there is no video. */
  readonly video: VideoStream | null;
  readonly audio: readonly AudioTrack[];
};

type VideoStream = {
  readonly codec: string;
  /** null where the header does not say. */
  readonly size: Size | null;
  /** Whether its pictures are two fields each. */
  readonly interlaced: boolean;
  readonly turned: Turn;
};

/** Degrees clockwise by which pictures are turned to be shown. */
export type Turn = 0 | 90 | 180 | 270;

/** More than any camera or editor writes. */
const MOST_STREAMS = 32;
/** Of all sound that has to be encoded anew. 31 tracks of 8 channels took 1.2 s for each second; nobody pays for sound. */
const MOST_CHANNELS = 32;

const entries = [
  'stream=codec_type,codec_name,width,height,field_order,sample_rate,channels',
  'stream_disposition=attached_pic',
  'stream_side_data=rotation',
].join(':');

export const SideData = z.array(z.object({ rotation: z.number().optional() })).default([]);

const Told = z.object({
  streams: z.array(
    z.object({
      codec_type: z.string().optional(),
      codec_name: z.string().default('unknown'),
      width: z.number().default(0),
      height: z.number().default(0),
      field_order: z.string().optional(),
      sample_rate: z.coerce.number().catch(0).default(0),
      channels: z.number().default(0),
      disposition: z.object({ attached_pic: z.number() }).optional(),
      side_data_list: SideData,
    }),
  ),
});

/**
 * Reads the header and decodes nothing. Sound of a codec that is not known is left out: nothing could be done with it.
 * Throws media_unreadable.
 */
export const readStreams = async (
  input: readonly string[],
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Streams> => {
  const { told, ended } = await askFfprobe(
    [...input, '-show_entries', entries],
    Told,
    ffmpeg,
    signal,
  );
  if (!told) throw unreadable(ended.complaint);
  const { streams } = told;
  if (streams.length > MOST_STREAMS) {
    throw unreadable(`it holds ${streams.length} streams; at most ${MOST_STREAMS} are read`);
  }
  const channels = streams
    .filter(
      ({ codec_type, codec_name }) => codec_type === 'audio' && !copiedSound.includes(codec_name),
    )
    .reduce((sum, stream) => sum + stream.channels, 0);
  if (channels > MOST_CHANNELS) {
    const many = `${channels} channels of sound that MP4 does not hold`;
    throw unreadable(`it has ${many}; at most ${MOST_CHANNELS} are encoded anew`);
  }
  const video = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic,
  );
  return {
    video: video
      ? {
          codec: video.codec_name,
          size: video.width > 0 && video.height > 0 ? video : null,
          interlaced: ['tt', 'bb', 'tb', 'bt'].includes(video.field_order ?? ''),
          turned: turnOf(video.side_data_list) ?? 0,
        }
      : null,
    audio: streams
      .filter(({ codec_type }) => codec_type === 'audio')
      .map(({ codec_name, sample_rate, channels }, index) => ({
        ...{ index, codec: codec_name, sampleRate: sample_rate, mono: channels === 1 },
      }))
      .filter(({ codec }) => !['unknown', 'none'].includes(codec)),
  };
};

/** ffprobe tells the turn that a file asks for counted the other way. */
export const turnOf = (sideData: z.output<typeof SideData>): Turn | null => {
  const told = sideData.find(({ rotation }) => rotation !== undefined)?.rotation;
  if (told === undefined) return null;
  const degrees = (360 - Math.round(told)) % 360;
  return degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0;
};
