import type { Size } from '../../../frame.ts';
import type { Reference, WantedInputs, Wants } from '../../../triton/clients/mouth-wants.ts';
import { lowerFace } from './lower-face.ts';
import { speechWindow } from './speech-window.ts';

type Moment = {
  /** When the picture is shown, in seconds on the clock of the new sound. */
  readonly time: number;
  readonly patch: Size;
  /** The face's points, in pixels of the patch. */
  readonly mesh: Float32Array;
  /** Null where none was collected, since the model wants none. */
  readonly reference: Reference | null;
};

/** What a model wants for a picture, and nothing else. pcm: the new sound, 16 kHz, on the clock of the output. Pure. */
export const wantedOf = (
  wants: Wants,
  pcm: Float32Array,
  { time, patch, mesh, reference }: Moment,
): WantedInputs => ({
  ...(wants.speechSamples > 0 && { speech: speechWindow(pcm, time, wants.speechSamples) }),
  ...(wants.reference && reference && { reference }),
  ...(wants.mask && { mask: lowerFace(mesh, patch) }),
});
