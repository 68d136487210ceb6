import { together } from '../../../async/together.ts';
import type { IndexedVideo } from '../../../media/read/indexed-video.ts';
import { openMemory } from '../../../memory.ts';
import type { TellingPictures } from '../../../triton/clients/mouth-plan.ts';
import type { Mark } from '../../../triton/clients/mouth-render.ts';
import { codingOf } from '../coding.ts';
import { clearOnes } from '../faces/clarity.ts';
import type { MeshFile } from '../faces/mesh-file.ts';
import type { Sighting } from '../faces/track.ts';
import type { OutputFrame } from '../plan/output-frame.ts';
import { type ClipSounds, planMouth, planRequest } from '../plan/plan-mouth.ts';
import type { LipSyncTask } from '../task.ts';
import type { OpenFrames } from './chunks.ts';
import { type ClipPictures, picturesOf } from './clip-pictures.ts';
import { fadesFrom } from './fades.ts';
import { framesAtOnce } from './frames-at-once.ts';
import { collectInside } from './inside.ts';
import { collectMark } from './mark.ts';
import { collectReferences } from './references.ts';
import { type MouthScript, renderMouths } from './render-mouths.ts';
import { readSourceFrames } from './source-frames.ts';
import { measureSubject } from './subject.ts';

/** What is known of a clip before its mouths are rendered. */
type Scene = {
  readonly video: IndexedVideo;
  /** The output's frames. */
  readonly frames: readonly OutputFrame[];
  /** The speaker's face in each picture of the clip. */
  readonly chosen: readonly (Sighting | null)[];
  readonly meshes: MeshFile;
  readonly sounds: ClipSounds;
};

/** Plans the mouth; meanwhile measures the subject and merges the inside of its mouth, which need no plan. */
export const prepareFrames = async (task: LipSyncTask, scene: Scene): Promise<MouthScript> => {
  const { models, signal } = task;
  const { video, frames, chosen, sounds } = scene;
  const mesh = meshesOf(scene);
  const clear = clearOnes(chosen);
  const request = await planRequest(task, {
    sounds,
    observed: { times: video.times.slice(0, -1), mesh, clear: (at) => clear[at] !== null },
    times: frames.map(({ time }) => time),
    lenders: models.mouthRender.lenders,
  });
  // Asked for first: the planner answers one request after the other.
  const telling = models.mouthPlan.tellingPictures(request, signal);
  const [{ targets }, portrayed] = await together(
    signal,
    (either) => planMouth({ ...task, signal: either }, request),
    async (either) => portray({ ...task, signal: either }, scene, { clear, ...(await telling) }),
  );
  return { frames, chosen, targets, ...portrayed, pcm: sounds.sound.pcm };
};

type Portrayed = Pick<MouthScript, 'rendering' | 'inside' | 'references'>;

/** What the clip's pictures tell of the subject and its mouth. `clear`: the faces that are seen clearly, by picture. */
const portray = async (
  task: LipSyncTask,
  scene: Scene,
  { clear, ...telling }: TellingPictures & { readonly clear: Scene['chosen'] },
): Promise<Portrayed> => {
  const { config, models, signal, hooks } = task;
  hooks?.told?.(telling);
  const { references, lenders } = telling;
  const render = models.mouthRender;
  const meshOf = meshesOf(scene);
  const means = { ffmpeg: config.ffmpeg, signal, memory: openMemory() };
  const pictures = picturesOf(scene.video, means);
  const seen = inOrderOfUse(references, clear);
  const coding = codingOf(scene.video.info.colour);
  const shown = spread(
    [...clear.keys()].filter((at) => clear[at]),
    render.markPictures,
  );
  // What the caller calls flat is a drawing; marks were measured over people alone.
  const flat = task.options.options.style === 'flat';
  const mark = flat ? null : await collectMark({ shown, pictures, meshOf, render, coding, signal });
  const planned = seen.slice(0, Math.max(references.length, 1));
  const others = spread(seen.slice(planned.length), OTHERS);
  const rendering = await measureSubject(
    task,
    () => portrayals(scene, planned, pictures, mark),
    () => portrayals(scene, others, pictures, mark),
  );
  const inFlight = framesAtOnce(config, render);
  const lent = { lenders, pictures, meshOf, rendering, render, inFlight, signal };
  const inside = await collectInside(lent);
  const wanted = render.wants.reference
    ? await collectReferences({ candidates: seen, pictures, meshOf, render })
    : null;
  return { rendering, inside, references: wanted };
};

/** The speaker's mesh in a picture of the clip; null where the face is not seen. */
const meshesOf =
  ({ chosen, meshes }: Scene) =>
  async (at: number): Promise<Float32Array | null> =>
    chosen[at] ? meshes.read(chosen[at].mesh) : null;

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

/** How many other pictures, spread over the clip, are tried for a subject who is covered in all planned ones. */
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
  pictures: ClipPictures['pictures'],
  mark: Mark | null,
) {
  for (const at of indices) {
    const face = chosen[at];
    if (!face) continue;
    const mesh = await meshes.read(face.mesh);
    for await (const picture of pictures([at])) {
      yield { info: video.info, picture, face, mesh, ...(mark && { mark }) };
    }
  }
}
