import type { YuvFrame } from '../../../frame.ts';
import { framesAt, type IndexedVideo } from '../../../media/read/indexed-video.ts';
import { openMemory } from '../../../memory.ts';
import { clearOnes } from '../faces/contrast.ts';
import type { MeshFile } from '../faces/mesh-file.ts';
import type { Sighting } from '../faces/track.ts';
import type { OutputFrame } from '../plan/output-frame.ts';
import { type ClipSounds, planMouth } from '../plan/plan-mouth.ts';
import type { LipSyncTask } from '../task.ts';
import type { OpenFrames } from './chunks.ts';
import { fadesFrom } from './fades.ts';
import { framesAtOnce } from './frames-at-once.ts';
import { collectInside } from './inside.ts';
import { collectReferences } from './references.ts';
import { type MouthScript, renderMouths } from './render-mouths.ts';
import { readSourceFrames } from './source-frames.ts';
import { measureSubject } from './subject.ts';

/** What is known of a clip before its mouths are rendered. */
export type Scene = {
  readonly video: IndexedVideo;
  /** Of the output. */
  readonly frames: readonly OutputFrame[];
  /** The speaker's face in each picture of the clip. */
  readonly chosen: readonly (Sighting | null)[];
  readonly meshes: MeshFile;
  readonly sounds: ClipSounds;
};

/** Plans the mouth, measures the subject, merges the inside of its mouth. */
export const prepareFrames = async (task: LipSyncTask, scene: Scene): Promise<MouthScript> => {
  const { config, models, signal } = task;
  const { video, frames, chosen, meshes, sounds } = scene;
  const meshOf = async (at: number) => (chosen[at] ? meshes.read(chosen[at].mesh) : null);
  const means = { ffmpeg: config.ffmpeg, signal, memory: openMemory() };
  // Each belongs to its receiver until the next is asked for.
  const pictures = async function* (indices: readonly number[]) {
    for await (const picture of framesAt(video, indices, means)) {
      yield picture;
      means.memory.give(picture.pixels);
    }
  };

  const render = models.mouthRender;
  const clear = clearOnes(chosen);
  const { lenders, references, targets } = await planMouth(task, {
    sounds,
    observed: { times: video.times.slice(0, -1), mesh: meshOf, clear: (at) => clear[at] !== null },
    times: frames.map(({ time }) => time),
    lenders: render.lenders,
  });
  const seen = inOrderOfUse(references, clear);
  const planned = seen.slice(0, Math.max(references.length, 1));
  const others = spread(seen.slice(planned.length), OTHERS);
  const rendering = await measureSubject(
    task,
    portrayals(scene, planned, pictures),
    portrayals(scene, others, pictures),
  );
  const inFlight = framesAtOnce(config, render);
  const inside = await collectInside({
    lenders,
    pictures,
    meshOf,
    rendering,
    render,
    inFlight,
    signal,
  });
  const wantedReferences = render.wants.reference
    ? await collectReferences({ candidates: seen, pictures, meshOf, render })
    : null;
  return {
    frames,
    chosen,
    targets,
    rendering,
    inside,
    pcm: sounds.sound.pcm,
    references: wantedReferences,
  };
};

type Scripted = Pick<Scene, 'video' | 'meshes'> & { readonly script: MouthScript };

/** What renders the output from any frame on. */
export const renderFrom = (
  { config, models, signal, hooks }: Pick<LipSyncTask, 'config' | 'models' | 'signal' | 'hooks'>,
  { video, meshes, script }: Scripted,
): OpenFrames => {
  const means = { ffmpeg: config.ffmpeg, signal, memory: openMemory() };
  const { frames } = script;
  return async function* (from) {
    // What comes before decides how far the first frames are faded.
    const sources = readSourceFrames(video, frames, fadesFrom(frames, from), means);
    const render = models.mouthRender;
    // One more: no instance waits while a frame goes to the encoder.
    const inFlight = framesAtOnce(config, render) + 1;
    const rendered = renderMouths(
      sources,
      { ...script, meshes },
      { render, inFlight, signal, hooks, memory: means.memory },
    );
    for await (const frame of rendered) if (frame.index >= from) yield frame;
  };
};

/** In so many other pictures, all over the clip, a subject is looked for whose planned ones are all behind something. */
const OTHERS = 12;

/** `count` of these, as far apart as can be. */
const spread = (indices: readonly number[], count: number): number[] =>
  indices.filter(
    (_, i) =>
      Math.floor((i * count) / indices.length) !== Math.floor(((i - 1) * count) / indices.length),
  );

/** The clip's pictures in which the face is seen clearly, the planned references first. */
const inOrderOfUse = (
  references: readonly number[],
  clear: readonly (Sighting | null)[],
): number[] => [...references, ...clear.keys()].filter((at) => clear[at]);

/** The subject's face in the pictures of these indices, as they are asked for. */
async function* portrayals(
  { video, chosen, meshes }: Scene,
  indices: readonly number[],
  pictures: (indices: readonly number[]) => AsyncIterable<YuvFrame>,
) {
  for (const at of indices) {
    const face = chosen[at];
    if (!face) continue;
    const mesh = await meshes.read(face.mesh);
    for await (const picture of pictures([at])) yield { info: video.info, picture, face, mesh };
  }
}
