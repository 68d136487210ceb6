/** Channels of a sound that ffmpeg cannot mix, or AAC not hold, as the file names them. See decision 202. Pure. */

/** The common layouts of 1 to 8 channels, the most that AAC holds here. */
const COMMON = ['mono', 'stereo', '3.0', '4.0', '5.0', '5.1', '6.1', '7.1'] as const;

/** With loudspeakers above the listener, or more of them than AAC holds: ffmpeg can mix these. */
const MIXED: readonly string[] = [
  ...['3.1.2', '5.1.2', '5.1.4', '7.1.2', '7.1.4', '7.2.3', '9.1.4', '9.1.6', '22.2'],
  ...['cube', 'hexadecagonal'],
];
/** "2 channels (FL+FC)" is how ffprobe writes a layout that has no name. */
const ODD = /^(?:binaural|downmix|\d+ channels \(.*\))$/;

/**
 * The filter that stands first where such a sound is mixed or encoded, so that this does not fail; undefined for all others.
 * `layout`: as ffprobe names it; undefined where the file says nothing. An odd one, such as left and centre, is taken as what
 * has the same number of channels commonly; of more than 8 that have no common order the first two are heard.
 */
export const remapOf = (channels: number, layout: string | undefined): string | undefined => {
  if (layout !== undefined && MIXED.includes(layout))
    return 'aformat=channel_layouts=7.1|5.1|stereo';
  if (channels > COMMON.length) return inOrder(2);
  return layout !== undefined && ODD.test(layout) ? inOrder(channels) : undefined;
};

/**
 * Whether it is known which loudspeaker each of more than two channels is for. Codecs have an order of their own; PCM that
 * names none may hold a microphone in each channel, of several people.
 */
export const isSurround = (channels: number, codec: string, layout?: string): boolean =>
  channels > 2 &&
  (!codec.startsWith('pcm_') ||
    (layout !== undefined && layout !== 'unknown' && !ODD.test(layout)));

const inOrder = (channels: number): string =>
  `channelmap=${Array.from({ length: channels }, (_, at) => at).join('|')}:${COMMON[channels - 1]}`;

/** That of a track as a link in a row of filters. */
export const remapping = ({ remap }: { readonly remap?: string | undefined }): string =>
  remap === undefined ? '' : `${remap},`;
