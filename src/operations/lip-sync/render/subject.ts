import { Failure } from '../../../errors.ts';
import type { Picture, YuvFrame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import { SHAPE } from '../../../triton/clients/mouth-plan.ts';
import type {
  FaceCut,
  Mark,
  Measured,
  Mouth,
  Rendering,
} from '../../../triton/clients/mouth-render.ts';
import { codingOf } from '../coding.ts';
import type { Sighting } from '../faces/track.ts';
import { SMALLEST_FACE } from '../faces/visible.ts';
import type { LipSyncTask } from '../task.ts';
import { COVERED } from '../warnings.ts';
import { meshIn, mouthIn, patchOf, type Rect } from './patch.ts';
import { cutFace, cutPixels } from './rgb.ts';

type Means = Pick<LipSyncTask, 'models' | 'options' | 'signal'>;
type Unmeasured = Mouth<Pick<Rendering, 'coding' | 'mark'>>;

type Portrayed = { readonly rendering: Rendering } & Pick<Measured, 'covered'>;

type Portrayal = {
  readonly info: VideoInfo;
  readonly picture: YuvFrame;
  /** The subject's face in it. */
  readonly face: Sighting;
  readonly mesh: Float32Array;
  /** What lies over it. Absent: nothing. */
  readonly mark?: Mark;
};

/** A later picture is taken where its covered share of the face is smaller by at least this. */
const LESS_COVERED = 0.03;

/** What is asked for where only whether a mouth changes matters: opening and width. */
const OPEN = Float32Array.from({ length: SHAPE }, (_, i) => [0.1, 0.6][i] ?? 0);

/** How much of the face is covered by a mask: there is no mouth that could be seen to move. */
const MASKED = 0.9;

/**
 * What belongs to the subject and not to one picture, measured on the first of these, the best first, in which nothing covers
 * the lower face, or on the one in which least does; on others only where all of these are behind something, or where the
 * mouth of a drawing was misread. See decision 199. Throws no_face_detected for a face that is too small or behind a mask.
 */
export const measureSubject = async (
  task: Means,
  portrayals: () => AsyncIterable<Portrayal>,
  others: () => AsyncIterable<Portrayal>,
): Promise<Rendering> => {
  let best = await leastCovered(task, portrayals());
  if (!best || best.covered >= COVERED) best = await leastCovered(task, others(), best);
  if (!best) throw new Error('the chosen face is in no picture of the clip');
  if (best.rendering.style === 'photo') return unmasked(best);
  return changingMost(task, best.rendering, [portrayals(), others()]);
};

const leastCovered = async (
  task: Means,
  portrayals: AsyncIterable<Portrayal>,
  before: Portrayed | null = null,
): Promise<Portrayed | null> => {
  const upTo = task.models.mouthRender.coveredUpTo ?? 1;
  let best = before;
  for await (const portrayal of portrayals) {
    const measured = await measureOn(task, portrayal);
    if (!best || measured.covered < best.covered - LESS_COVERED) best = measured;
    if (best.covered <= upTo) break;
  }
  return best;
};

/**
 * The drawing; or, where by it most of these pictures would stay unchanged, the one of theirs by which fewest do: an open mouth
 * that was taken for lips is unlike the mouths of the other pictures. A renderer that needs more than a mouth is not asked.
 */
const changingMost = async (
  task: Means,
  drawing: Rendering,
  portrayals: readonly AsyncIterable<Portrayal>[],
): Promise<Rendering> => {
  const { speechSamples, reference, mask } = task.models.mouthRender.wants;
  if (speechSamples > 0 || reference || mask) return drawing;
  const mouths = new Map<Unmeasured, FaceCut>();
  for (const some of portrayals)
    for await (const portrayal of some)
      if (patchOf(portrayal.mesh, portrayal.picture, task.models.mouthRender))
        mouths.set(mouthOf(task, portrayal), cutFace(portrayal.picture, portrayal.face.box));
  let best = drawing;
  let fewest = await unchangedBy(task, best, [...mouths.keys()]);
  if (2 * fewest < mouths.size) return best;
  for (const [mouth, face] of mouths) {
    const { rendering } = await measure(task, mouth, () => face);
    if (rendering.style !== 'flat') continue;
    const unchanged = await unchangedBy(task, rendering, [...mouths.keys()], fewest);
    if (unchanged < fewest) [best, fewest] = [rendering, unchanged];
  }
  return best;
};

/** How many of these mouths the renderer leaves as they are when asked for open ones; counted up to `most`. */
const unchangedBy = async (
  { models: { mouthRender }, signal }: Means,
  about: Rendering,
  mouths: readonly Unmeasured[],
  most = mouths.length,
): Promise<number> => {
  let unchanged = 0;
  for (const mouth of mouths) {
    if (unchanged === most) break;
    const { mask } = await mouthRender.render({ ...mouth, about }, { target: OPEN }, signal);
    if (mask.every((share) => share === 0)) unchanged += 1;
  }
  return unchanged;
};

const measureOn = (task: Means, portrayal: Portrayal): Promise<Portrayed> =>
  measure(task, mouthOf(task, portrayal), () => cutFace(portrayal.picture, portrayal.face.box));

const mouthOf = (task: Means, { info, picture, mesh, mark }: Portrayal): Unmeasured => {
  const rect = rectOf(task, picture, mesh);
  const about = { coding: codingOf(info.colour), ...(mark && { mark }) };
  return mouthIn(picture, mesh, { rect, about });
};

type Still = {
  readonly still: Picture;
  readonly face: { readonly mesh: Float32Array; readonly box: Box };
};

type MeasuredStill = Pick<Portrayed, 'covered'> & { readonly mouth: Mouth; readonly rect: Rect };

/** The mouth of a still, its subject measured, and where it lies. Throws no_face_detected as well. */
export const measureStill = async (task: Means, { still, face }: Still): Promise<MeasuredStill> => {
  const rect = rectOf(task, still, face.mesh);
  const { width, height } = rect;
  const patch = { width, height, pixels: cutPixels(still, rect) };
  const unmeasured = { patch, mesh: meshIn(face.mesh, rect), about: { coding: 'rgb' as const } };
  const measured = await measure(task, unmeasured, () => cutFace(still, face.box));
  const mouth = { ...unmeasured, about: unmasked(measured) };
  return { mouth, rect, covered: measured.covered };
};

const unmasked = ({ rendering, covered }: Portrayed): Rendering => {
  if (rendering.style === 'photo' && covered >= MASKED)
    throw new Failure('no_face_detected', { unchanged: true });
  return rendering;
};

const rectOf = ({ models }: Means, picture: Picture | YuvFrame, mesh: Float32Array): Rect => {
  const rect = patchOf(mesh, picture, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  return rect;
};

/** The style is the caller's; where that is `auto`, the model decides by the face. */
const measure = async (
  { models, options, signal }: Means,
  mouth: Unmeasured,
  face: () => ReturnType<typeof cutFace>,
): Promise<Portrayed> => {
  const asked = options.options.style;
  const shown = asked === 'auto' ? face() : null;
  const { subject, style, covered } = await models.mouthRender.subject(mouth, shown, signal);
  const decided = asked === 'auto' ? style : asked;
  if (!decided) throw new Error('the style of a face was asked for and did not come');
  return { rendering: { ...mouth.about, subject, style: decided }, covered };
};
