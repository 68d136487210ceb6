/** How well mouth and sound of a finished file match. */

import { take } from '../../../async/take.ts';
import { decodeFailed } from '../../../media/outcome.ts';
import { probeVideo } from '../../../media/probe/probe.ts';
import type { Heard } from '../../../triton/clients/speech.ts';
import { inBoxes, openingsOf } from '../faces/choose-face.ts';
import { hasSpeech, lipSoundCorrelation, type Opening } from '../faces/lips.ts';
import { openFrames, trackFaces } from '../faces/track.ts';
import { TRACKING_SIDE } from '../faces/visible.ts';
import type { LipSyncTask, LipSyncVideo } from '../task.ts';

/** How much of the file is measured, from where the mouth begins to move. */
const SECONDS = 5;
/** The longer side, in pixels, of the copies in which faces are tracked. */
const TRACKED_SIDE = 640;
/** The width, in pixels, that a face should have in such a copy: the mesh network uses no more. */
const FACE_WIDTH = 128;
/** Lags that are tried: -320 to 320 ms. */
const LAGS_MS = Array.from({ length: 65 }, (_, i) => (i - 32) * 10);
/** A correlation of fewer pictures says nothing. */
const LEAST_PICTURES = 12;
/** Seconds: the time of a frame may have been rounded up by as much. */
const ROUNDING = 0.0005;

/** Limits are for what callers send: a sound at the limit ends with a packet beyond it, and an odd size has grown. */
const NO_LIMITS = {
  bytes: Number.POSITIVE_INFINITY,
  longSide: Number.POSITIVE_INFINITY,
  shortSide: Number.POSITIVE_INFINITY,
  outputSide: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
  frames: Number.POSITIVE_INFINITY,
  outputPixels: Number.POSITIVE_INFINITY,
};

/** Pearson's correlation of mouth and sound as they are, -1..1, and the lag of the mouth at which it would be highest. */
export type SyncMeasure = { readonly correlation: number; readonly lagMs: number };

/** Decodes the written file and tracks its face again. null when the sound has no speech, or no face is found. */
export const measureSync = async (
  task: LipSyncTask,
  video: LipSyncVideo,
): Promise<SyncMeasure | null> => {
  const { target, config, models, signal } = task;
  const { ffmpeg } = config;
  const info = await probeVideo({
    ...{ path: target, ffmpeg, limits: NO_LIMITS, signal },
    onTimeout: decodeFailed,
  });
  const most = Math.ceil(info.frames * Math.min(1, SECONDS / info.durationSeconds));
  const { first, firstSeconds } = video.speaking;
  const from = Math.max(0, firstSeconds - ROUNDING);
  const longSide = sideFor(video);
  const { frames, spare } = openFrames({ path: target, info, longSide, ffmpeg, signal, from });
  const boxes = video.boxes.slice(first);
  const { times, sightings } = await trackFaces({
    ...{ frames: take(frames, most), spare, size: info.size, fps: info.fps, boxes },
    ...{ tracker: models.faceTrack, meshes: NO_MESHES, signal },
  });
  const openings = openingsOf(inBoxes(sightings, boxes), times);
  const inOutput = openings.map((one) => ({ ...one, seconds: firstSeconds + one.seconds }));
  return compare(inOutput, video.sound.heard);
};

/** Only the openings are looked at. */
const NO_MESHES = { add: async () => 0 };

/** The longer side of the pictures to track in: larger ones for a small face. */
const sideFor = ({ size, boxes }: LipSyncVideo): number => {
  const widths = boxes.flatMap((box) => (box ? [box[2] - box[0]] : [])).sort((a, b) => a - b);
  const median = widths[widths.length >> 1] ?? FACE_WIDTH;
  const side = Math.ceil((Math.max(size.width, size.height) * FACE_WIDTH) / median);
  return Math.min(TRACKING_SIDE, Math.max(TRACKED_SIDE, side));
};

/** null without speech, with fewer than 12 openings, and when lips or jaw never move. */
export const compare = (openings: readonly Opening[], heard: Heard): SyncMeasure | null => {
  if (!hasSpeech(heard) || openings.length < LEAST_PICTURES) return null;
  const at = (lagMs: number) => lipSoundCorrelation(openings, heard, lagMs);
  const best = LAGS_MS.map((lagMs) => ({ lagMs, value: at(lagMs) })).reduce((a, b) =>
    b.value > a.value ? b : a,
  );
  const now = at(0);
  if (!Number.isFinite(now) || !Number.isFinite(best.value)) return null;
  return { correlation: Number(now.toFixed(3)), lagMs: best.lagMs };
};
