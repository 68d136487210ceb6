/** The warning of what a video has besides its pictures and the result has not. Pure. */
import type { Warning } from '../contract/job.ts';
import type { VideoInfo } from '../media/info.ts';
import { textSubtitles } from '../media/output.ts';
import { counted } from '../text/counted.ts';

type Media = Pick<VideoInfo, 'kind' | 'others'> | { readonly kind: 'image' };

/** For an enlarged video: text subtitles (unless they turned out to be unreadable), chapters and all sounds are kept. */
export const leftOutOfVideo = (info: Media, { unreadable = false } = {}): readonly Warning[] => {
  if (info.kind === 'image') return [];
  const { others } = info;
  const texts = textSubtitles(others);
  const pictures = others.subtitles.filter((track) => !texts.includes(track));
  const lost = [...pictures.map(({ codec }) => codec), ...(others.lostSubtitles ?? [])];
  const codecs = [...new Set(lost)].join(', ');
  return leftOut('An MP4 cannot hold all that the video has', [
    [lost.length, 'subtitle track', ` (${codecs})`],
    [unreadable ? texts.length : 0, 'subtitle track', ' that could not be read'],
    [others.sounds, 'sound track', ' of an unknown codec'],
    [others.videos, 'further video track', ''],
  ]);
};

/** For a lip-synced one: subtitles would be of words that are no longer spoken, and chapters of times that have moved. */
export const leftOutOfLipSync = (info: Media): readonly Warning[] =>
  info.kind === 'image'
    ? []
    : leftOut('A lip-synced video has the pictures and the new sound alone', [
        [
          info.others.subtitles.length + (info.others.lostSubtitles?.length ?? 0),
          'subtitle track',
          '',
        ],
        [info.others.chapters, 'chapter', ''],
        [info.others.videos, 'further video track', ''],
      ]);

type Lost = readonly [count: number, what: string, which: string];

const leftOut = (why: string, lost: readonly Lost[]): readonly Warning[] => {
  const list = lost
    .filter(([count]) => count > 0)
    .map(([count, what, which]) => `${counted(count, what)}${which}`);
  if (list.length === 0) return [];
  return [{ code: 'tracks_left_out', detail: `${why}; left out: ${list.join(', ')}.` }];
};
