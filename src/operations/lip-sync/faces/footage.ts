/** The first pass over a clip, through small pictures: who is there, and how they move. */
import { writeFile } from 'node:fs/promises';
import type { Frame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import type { Kept } from '../../../storage/checkpoints.ts';
import { type LipSyncTask, LOOK_SIDE, spans } from '../task.ts';
import { createMeshFile, type MeshFile, openMeshFile } from './mesh-file.ts';
import { type Footage, openFrames, trackFaces } from './track.ts';

/** Of a clip that is much longer than what is shown of it, so much is looked at to learn how the mouth moves. */
const LEARN_SECONDS = 20;
const MESHES = 'meshes';
const FOOTAGE = 'footage.json';

/** What is seen in the first `shownSeconds` of the clip, or was seen there by an earlier attempt. */
export const findFootage = async (
  task: LipSyncTask,
  info: VideoInfo,
  shownSeconds: number,
  kept: Kept,
  signal: AbortSignal,
): Promise<Footage> => {
  const known = await kept.read(FOOTAGE);
  if (known !== null) {
    const found: Footage = JSON.parse(known);
    const frames = found.sightings.length;
    const span = spans.looking;
    task.report({ stage: 'decoding', framesDone: frames, framesTotal: frames, span });
    return found;
  }
  const seconds = Math.max(shownSeconds, LEARN_SECONDS);
  let footage: Footage | undefined;
  await kept.put(MESHES, async (path) => {
    const meshes = await createMeshFile(path);
    try {
      footage = await look(task, info, seconds, meshes, signal);
    } finally {
      await meshes.close();
    }
  });
  if (!footage) throw new Error('a first pass ended and had seen nothing');
  const text = JSON.stringify(footage);
  await kept.put(FOOTAGE, (path) => writeFile(path, text));
  return footage;
};

/** The meshes that were found with it. */
export const openMeshes = (kept: Kept): Promise<MeshFile> => openMeshFile(kept.path(MESHES));

const look = (
  { config, inputs, models, options, report }: LipSyncTask,
  info: VideoInfo,
  seconds: number,
  meshes: MeshFile,
  signal: AbortSignal,
): Promise<Footage> => {
  const { speaker } = options;
  const named = 'frame' in speaker ? speaker.frame : 0;
  const framesTotal = Math.ceil(info.frames * Math.min(1, seconds / info.durationSeconds));
  const tell = (framesDone: number) =>
    report({
      ...{ stage: 'decoding', framesDone, span: spans.looking },
      framesTotal: Math.max(framesTotal, framesDone),
    });
  tell(0);
  const only = (frames: AsyncIterable<Frame>) => upTo(frames, seconds, named);
  const frames = openFrames(inputs.media, info, LOOK_SIDE, config.ffmpeg, signal, only);
  const clip = {
    ...{ size: info.size, fps: info.fps },
    boxes: 'boxes' in speaker ? speaker.boxes : [],
    point: 'frame' in speaker ? speaker : null,
  };
  return trackFaces(frames, clip, models.faceTrack, meshes, tell, signal);
};

/** The frames that begin within so many seconds of the first, and those as far as frame `least`. */
async function* upTo(frames: AsyncIterable<Frame>, seconds: number, least: number) {
  let start: number | undefined;
  for await (const frame of frames) {
    start ??= frame.time;
    if (frame.time - start >= seconds && frame.index > least) return;
    yield frame;
  }
}
