/** What the models are at this moment, as `GET /v1/models` and readiness tell it. */
import { Failure } from '../../errors.ts';
import type { Control } from '../protocol/control.ts';
import type { Transport } from '../protocol/transport.ts';
import { openUpscaler } from './upscaler.ts';

export type ModelState = {
  readonly name: string;
  readonly ready: boolean;
  readonly release: string | null;
  readonly engine: string | null;
};

/** The state of each; one that cannot be used is told as not ready. Asks Triton every time. */
export const readModels = (
  names: readonly string[],
  transport: Transport,
  control: Control,
  signal: AbortSignal,
): Promise<ModelState[]> =>
  Promise.all(
    names.map(async (name) => {
      try {
        const { release, engine } = await openUpscaler(name, transport, control, signal);
        return { name, ready: true, release, engine };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return { name, ready: false, release: null, engine: null };
      }
    }),
  );
