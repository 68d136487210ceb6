/** How well mouth and sound of a finished file go together. */

import { take } from '../../../async/take.ts';
import type { Frame } from '../../../frame.ts';
import { decodeFailed } from '../../../media/outcome.ts';
import { probeVideo } from '../../../media/probe/probe.ts';
import type { Heard } from '../../../triton/clients/speech.ts';
import { inBoxes } from '../faces/choose-face.ts';
import { going, isSpoken, type Opening, openingOf } from '../faces/lips.ts';
import { scratchMeshFile } from '../faces/mesh-file.ts';
import { openFrames, trackFaces } from '../faces/track.ts';
import { type LipSyncTask, LOOK_SIDE, type Made } from '../task.ts';

/** So much of a file, and so small, tells it. */
const SECONDS = 5;
const SIDE = 640;
/** In which the face should be so wide, if it is in the result: the mesh network sees no more of it. */
const FACE_WIDTH = 128;
const LAGS_MS = Array.from({ length: 65 }, (_, i) => (i - 32) * 10);
const LEAST_FRAMES = 12;
const EARLIER = 0.0005;

/** Limits are for what callers send: a sound at the limit ends with a packet beyond it, and an odd size has grown. */
const OURS = {
  bytes: Number.POSITIVE_INFINITY,
  longSide: Number.POSITIVE_INFINITY,
  shortSide: Number.POSITIVE_INFINITY,
  outputSide: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
  frames: Number.POSITIVE_INFINITY,
  outputPixels: Number.POSITIVE_INFINITY,
};

export type Sync = { readonly correlation: number; readonly lagMs: number };

/**
 * Decodes the result as anyone would, from where the mouth begins to move, and follows its face again. null when nothing
 * is said, or no face is found.
 */
export const measureSync = async (task: LipSyncTask, made: Made): Promise<Sync | null> => {
  const { target, config, models, signal } = task;
  const info = await probeVideo({
    path: target,
    ffmpeg: config.ffmpeg,
    limits: OURS,
    signal,
    onTimeout: decodeFailed,
  });
  const meshes = await scratchMeshFile(`${target}.meshes`);
  try {
    const most = Math.ceil(info.frames * Math.min(1, SECONDS / info.durationSeconds));
    const { first, firstSeconds } = made.spoken;
    // A little before: the time of a frame may have been rounded up.
    const from = Math.max(0, firstSeconds - EARLIER);
    const only = (all: AsyncIterable<Frame>) => take(all, most);
    const frames = openFrames(target, info, sideOf(made), config.ffmpeg, signal, only, from);
    const boxes = made.boxes.slice(first);
    const clip = { size: info.size, fps: info.fps, boxes };
    const footage = await trackFaces(frames, clip, models.faceTrack, meshes, () => {}, signal);
    const chosen = inBoxes(footage.sightings, boxes);
    const openings: Opening[] = [];
    for (const [i, face] of chosen.entries()) {
      if (!face) continue;
      const middle = ((footage.times[i] ?? 0) + (footage.times[i + 1] ?? 0)) / 2;
      openings.push({
        seconds: firstSeconds + middle,
        opening: openingOf(await meshes.read(face.mesh)),
      });
    }
    return compare(openings, made.sound.heard);
  } finally {
    await meshes.close();
  }
};

/** The side of the pictures to look at: a small face needs larger ones. */
const sideOf = ({ size, boxes }: Made): number => {
  const widths = boxes.flatMap((box) => (box ? [box[2] - box[0]] : [])).sort((a, b) => a - b);
  const width = widths[widths.length >> 1] ?? FACE_WIDTH;
  const side = Math.ceil((Math.max(size.width, size.height) * FACE_WIDTH) / width);
  return Math.min(LOOK_SIDE, Math.max(SIDE, side));
};

/** The correlation as it is seen, and by how much later the mouth would have to be heard for the highest. */
export const compare = (openings: readonly Opening[], heard: Heard): Sync | null => {
  if (!isSpoken(heard) || openings.length < LEAST_FRAMES) return null;
  const at = (lagMs: number) => going(openings, heard, lagMs);
  const best = LAGS_MS.map((lagMs) => ({ lagMs, value: at(lagMs) })).reduce((a, b) =>
    b.value > a.value ? b : a,
  );
  const now = at(0);
  if (!Number.isFinite(now) || !Number.isFinite(best.value)) return null;
  return { correlation: Number(now.toFixed(3)), lagMs: best.lagMs };
};
