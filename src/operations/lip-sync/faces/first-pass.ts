/** The first pass over a clip, on small copies of its pictures: which faces are there, and how they move. */
import { writeFile } from 'node:fs/promises';
import type { YuvFrame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import type { Checkpoints } from '../../../storage/checkpoints.ts';
import { type LipSyncTask, progressSpans } from '../task.ts';
import { createMeshFile, type MeshFile, openMeshFile } from './mesh-file.ts';
import { openFrames, type TrackedClip, trackFaces } from './track.ts';
import { TRACKING_SIDE } from './visible.ts';

/** So much of the clip is tracked even where the output shows less of it: the plan learns the mouth's range from it. */
const LEARN_SECONDS = 20;
/** Names of the two checkpoints. */
const MESHES = 'meshes';
const TRACKED = 'tracked.json';

type FirstPass = {
  readonly info: VideoInfo;
  /** How much of the clip the output shows, from its first picture on. */
  readonly shownSeconds: number;
  readonly checkpoints: Checkpoints;
  /** Where the pictures are kept for the second pass; null: nowhere. */
  readonly keep: string | null;
  readonly signal: AbortSignal;
};

/** How many pictures are looked at, as far as the file says. */
export const picturesToTrack = (
  { options: { speaker } }: Pick<LipSyncTask, 'options'>,
  { info, shownSeconds }: Pick<FirstPass, 'info' | 'shownSeconds'>,
): number => {
  const share = Math.min(1, secondsToTrack(shownSeconds) / info.durationSeconds);
  const least = 'frame' in speaker ? speaker.frame + 1 : 0;
  return Math.min(info.frames, Math.max(least, Math.ceil(info.frames * share)));
};

const secondsToTrack = (shownSeconds: number): number => Math.max(shownSeconds, LEARN_SECONDS);

/** The faces in the part of the clip that is shown or learnt from; where an earlier attempt has tracked them, its answer. */
export const runFirstPass = async (task: LipSyncTask, pass: FirstPass): Promise<TrackedClip> => {
  const { checkpoints } = pass;
  const before = await checkpoints.read(TRACKED);
  if (before !== null) {
    const tracked: TrackedClip = JSON.parse(before);
    const frames = tracked.sightings.length;
    const span = progressSpans.tracking;
    task.report({ stage: 'decoding', framesDone: frames, framesTotal: frames, span });
    return tracked;
  }
  let tracked: TrackedClip | undefined;
  await checkpoints.put(MESHES, async (path) => {
    const meshes = await createMeshFile(path);
    try {
      tracked = await track(task, pass, meshes);
    } finally {
      await meshes.close();
    }
  });
  if (!tracked) throw new Error('the meshes were written and no faces were tracked');
  const text = JSON.stringify(tracked);
  await checkpoints.put(TRACKED, (path) => writeFile(path, text));
  return tracked;
};

/** The meshes of the sightings. */
export const openMeshes = async (checkpoints: Checkpoints): Promise<MeshFile> =>
  openMeshFile(await checkpoints.fetch(MESHES));

const track = (
  task: LipSyncTask,
  { info, shownSeconds, keep, signal }: FirstPass,
  meshes: MeshFile,
): Promise<TrackedClip> => {
  const { config, inputs, models, options, report } = task;
  const { speaker } = options;
  const expected = picturesToTrack(task, { info, shownSeconds });
  const onFrames = (framesDone: number) => {
    const framesTotal = Math.max(expected, framesDone);
    report({ stage: 'decoding', framesDone, framesTotal, span: progressSpans.tracking });
  };
  onFrames(0);
  const { frames, blocks, coding } = openFrames({
    source: inputs.media,
    info,
    longSide: TRACKING_SIDE,
    keep,
    ffmpeg: config.ffmpeg,
    signal,
  });
  const least = 'frame' in speaker ? speaker.frame : 0;
  return trackFaces({
    frames: upTo(frames, secondsToTrack(shownSeconds), least),
    blocks,
    coding,
    size: info.size,
    fps: info.fps,
    ...('boxes' in speaker ? { boxes: speaker.boxes } : {}),
    ...('frame' in speaker ? { point: speaker } : {}),
    tracker: models.faceTrack,
    meshes,
    onFrames,
    signal,
  });
};

/** The frames that begin within `seconds` of the first, and at least those up to frame `least`. */
async function* upTo(frames: AsyncIterable<YuvFrame>, seconds: number, least: number) {
  let start: number | undefined;
  for await (const frame of frames) {
    start ??= frame.time;
    if (frame.time - start >= seconds && frame.index > least) return;
    yield frame;
  }
}
