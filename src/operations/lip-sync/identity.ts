/** What a lip sync depends on besides the clip itself and the release. Pure. */
import type { Identified } from '../operation.ts';
import type { LipsyncOptions, Segment } from './request.ts';

/** Equal for equal work; what was left out counts as its default. */
export const lipsyncIdentity = ({ files, inputKind, options }: Identified<LipsyncOptions>) => {
  const { expressiveness, on_no_face, motion, style, background } = options.options;
  const common = [
    ...[files.audio?.sha256, options.model, options.output_format],
    ...[speakerOf(options.speaker), expressiveness, on_no_face, style],
  ];
  // A clip brings the motion of its own head; a portrait has no length, and no sound, of its own.
  return inputKind === 'image'
    ? [...common, motion]
    : [
        ...[...common, options.sync_mode, options.segments?.map(segmentOf)],
        background.mode === 'mix' && background.volume,
      ];
};

const segmentOf = ({ start, end, audio }: Segment) => [
  ...[start, end],
  audio && [audio.start, audio.end],
];

const speakerOf = (speaker: LipsyncOptions['speaker']) => {
  if ('boxes' in speaker) return speaker.boxes;
  return 'frame' in speaker ? [speaker.frame, speaker.x, speaker.y] : speaker.mode;
};
