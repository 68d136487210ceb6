/** The models that work together on lip sync. */
import type { Transport } from '../protocol/transport.ts';
import { type FaceTrack, faceTrackSlot, openFaceTrack } from './face-track.ts';
import { type HeadMotion, headMotionSlot, openHeadMotion } from './head-motion.ts';
import type { ModelSet, Slot } from './model.ts';
import { type MouthPlan, mouthPlanSlot, openMouthPlan, type Quality } from './mouth-plan.ts';
import { type MouthRender, mouthRenderSlot, openMouthRender } from './mouth-render.ts';
import { openPortraitMotion, type PortraitMotion, portraitMotionSlot } from './portrait-motion.ts';
import { openSpeech, type Speech, speechSlot } from './speech.ts';

export type LipsyncModels = {
  readonly model: Quality;
  /** What callers see as model_version. */
  readonly version: string;
  readonly faceTrack: FaceTrack;
  readonly speech: Speech;
  readonly mouthPlan: MouthPlan;
  readonly mouthRender: MouthRender;
  /** Null where only the models of a clip were opened. */
  readonly motion: PortraitModels | null;
};

/** What a portrait goes through besides. */
type PortraitModels = {
  readonly headMotion: HeadMotion;
  readonly portraitMotion: PortraitMotion;
};

/** What a clip (`video`) and a portrait (`image`) go through, in the order of their releases in model_version. */
export const lipsyncSlots = (
  model: Quality,
): { readonly image: readonly Slot[]; readonly video: readonly Slot[] } => {
  const video = [faceTrackSlot, speechSlot, mouthPlanSlot, mouthRenderSlot(model)];
  return { video, image: [...video, headMotionSlot, portraitMotionSlot] };
};

/** What computes them, always: the networks are small and use one CPU thread each. */
export const lipsyncEngine = 'openvino f32 cpu';

/** kind: of the input. What was opened for an image does for a video too. */
export const openLipsync = (
  model: Quality,
  kind: 'image' | 'video',
  transport: Transport,
  { version, of }: ModelSet,
): LipsyncModels => ({
  model,
  version,
  faceTrack: openFaceTrack(transport, of(faceTrackSlot.name)),
  speech: openSpeech(transport, of(speechSlot.name)),
  mouthPlan: openMouthPlan(transport, of(mouthPlanSlot.name)),
  mouthRender: openMouthRender(transport, of(mouthRenderSlot(model).name)),
  motion: kind === 'video' ? null : openPortraitModels(transport, of),
});

const openPortraitModels = (transport: Transport, of: ModelSet['of']): PortraitModels => ({
  headMotion: openHeadMotion(transport, of(headMotionSlot.name)),
  portraitMotion: openPortraitMotion(transport, of(portraitMotionSlot.name)),
});

/** The models that only a portrait goes through. Throws an Error where those of a clip were opened. */
export const portraitModels = ({ motion }: LipsyncModels): PortraitModels => {
  if (!motion) throw new Error('expected the models of a portrait; those of a clip were opened');
  return motion;
};
