/** How well mouth and sound of the result match. */

import { take } from '../../../async/take.ts';
import { NO_OTHERS, type VideoInfo } from '../../../media/info.ts';
import { outputColour } from '../../../media/scaler.ts';
import { timescale } from '../../../media/write/encode.ts';
import type { Heard } from '../../../triton/clients/speech.ts';
import { inBoxes, openingsOf } from '../faces/choose-face.ts';
import { medianWidth } from '../faces/coordinates.ts';
import { hasSpeech, lipSoundCorrelation, type Opening, speechSeconds } from '../faces/lips.ts';
import { openFrames, trackFaces } from '../faces/track.ts';
import { TRACKING_SIDE } from '../faces/visible.ts';
import type { LipSyncTask, LipSyncVideo } from '../task.ts';
import { measuredFrom } from './measured-from.ts';

/** How much of the result is measured. */
const SECONDS = 5;
/** The longer side, in pixels, of the copies in which faces are tracked. */
const TRACKED_SIDE = 640;
/** The width, in pixels, that a face should have in such a copy: the mesh network uses no more. */
const FACE_WIDTH = 128;
/** Lags that are tried: -320 to 320 ms. */
const LAGS_MS = Array.from({ length: 65 }, (_, i) => (i - 32) * 10);
/** A correlation of fewer pictures says nothing. */
const LEAST_PICTURES = 12;
/** Jaws move up to 6 times a second: more pictures a second than this tell nothing more. */
const RATE = 12;
/** No picture is left out where fewer would be looked at. */
const ENOUGH_PICTURES = 24;
/** Seconds: the time of a frame may have been rounded up by as much. */
const ROUNDING = 0.0005;

/** Pearson's correlation of mouth and sound as they are, -1..1, and the lag of the mouth at which it would be highest. */
export type SyncMeasure = {
  readonly correlation: number;
  readonly lagMs: number;
  /** How much speech there is in what was measured. */
  readonly speechSeconds: number;
};

/** Decodes what was encoded and tracks its face again. null when the sound has no speech, or no face is found. */
export const measureSync = async (
  task: LipSyncTask,
  video: LipSyncVideo,
): Promise<SyncMeasure | null> => {
  const info = infoOf(video);
  const { heard } = video.sound;
  if (!hasSpeech(heard, info.durationSeconds)) return null;
  const { config, models, signal } = task;
  const first = measuredFrom(heard, video.speaking, SECONDS);
  const firstSeconds = video.speaking.times[first] ?? 0;
  const count = Math.min(info.frames - first, Math.ceil(SECONDS * info.fps));
  const every = everyWhich(info.fps, count);
  const { frames, blocks, coding } = openFrames({
    source: video.parts,
    info,
    longSide: sideFor(video),
    ffmpeg: config.ffmpeg,
    signal,
    every,
    from: Math.max(0, firstSeconds - ROUNDING),
  });
  const boxes = video.boxes.slice(first).filter((_, at) => at % every === 0);
  const { times, sightings } = await trackFaces({
    frames: take(frames, Math.ceil(count / every)),
    blocks,
    coding,
    boxes,
    // Where the face is, is known; looking for others in every corner would take longer than all the rest.
    thorough: false,
    size: info.size,
    fps: info.fps / every,
    tracker: models.faceTrack,
    meshes: NO_MESHES,
    signal,
  });
  // A picture counts as shown until the next that is looked at: its own middle is earlier.
  const late = (every - 1) / (2 * info.fps);
  const openings = openingsOf(inBoxes(sightings, boxes), times).map((one) => ({
    ...one,
    seconds: firstSeconds + one.seconds - late,
  }));
  return compare(openings, heard);
};

const everyWhich = (fps: number, pictures: number): number =>
  Math.max(1, Math.floor(Math.min(fps / RATE, pictures / ENOUGH_PICTURES)));

/** What the parts are: as they were encoded. */
const infoOf = ({ encoded, format, size }: LipSyncVideo): VideoInfo => ({
  kind: 'video',
  container: 'mov',
  size,
  ...encoded,
  sampleAspect: format.sampleAspect,
  constantRate: format.constantRate,
  colour: outputColour(format.colour),
  timeBase: { num: 1, den: timescale(format.timeBase) },
  startSeconds: 0,
  mediaSeconds: encoded.durationSeconds,
  mediaStart: 0,
  keyFrames: [],
  lastFrameSeconds: 1 / encoded.fps,
  pixelFormat: 'yuv420p',
  chroma: 'left',
  alpha: false,
  interlaced: false,
  hasAudio: true,
  audio: [],
  others: NO_OTHERS,
});

/** Only the openings are looked at. */
const NO_MESHES = { add: async () => 0 };

/** The longer side of the pictures to track in: larger ones for a small face. */
const sideFor = ({ size, boxes }: LipSyncVideo): number => {
  const width = medianWidth(boxes) ?? FACE_WIDTH;
  const side = Math.ceil((Math.max(size.width, size.height) * FACE_WIDTH) / width);
  return Math.min(TRACKING_SIDE, Math.max(TRACKED_SIDE, side));
};

/** null without speech, with fewer than 12 openings, and when lips or jaw never move. */
export const compare = (openings: readonly Opening[], heard: Heard): SyncMeasure | null => {
  const [from = 0, to = 0] = [openings[0]?.seconds, openings.at(-1)?.seconds];
  const speech = speechSeconds(heard, from, to);
  if (!hasSpeech(heard) || openings.length < LEAST_PICTURES) return null;
  const at = (lagMs: number) => lipSoundCorrelation(openings, heard, lagMs);
  const best = LAGS_MS.map((lagMs) => ({ lagMs, value: at(lagMs) })).reduce((a, b) =>
    b.value > a.value ? b : a,
  );
  const now = at(0);
  if (!Number.isFinite(now) || !Number.isFinite(best.value)) return null;
  return { correlation: Number(now.toFixed(3)), lagMs: best.lagMs, speechSeconds: speech };
};
