import { NO_OTHERS, type VideoInfo } from '../../src/media/info.ts';

/** What probing finds of a plain video of a second, without sound. */
export const oneSecond: VideoInfo = {
  kind: 'video',
  container: 'mov',
  size: { width: 10, height: 10 },
  startSeconds: 0,
  durationSeconds: 1,
  mediaSeconds: 1,
  mediaStart: 0,
  frames: 25,
  fps: 25,
  constantRate: true,
  keyFrames: [],
  lastFrameSeconds: 0.04,
  timeBase: { num: 1, den: 25 },
  sampleAspect: { num: 1, den: 1 },
  pixelFormat: 'yuv420p',
  chroma: 'left',
  alpha: false,
  interlaced: false,
  colour: { matrix: 'bt709', fullRange: false, primaries: null, transfer: null },
  hasAudio: false,
  audio: [],
  others: NO_OTHERS,
};
