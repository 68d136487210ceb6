/** The one way to the models: tensors in, tensors out, whatever carries them. */
import type { Config } from '../../config.ts';
import type { RequestedOutput, Tensor } from './tensor.ts';

export interface Transport {
  readonly kind: Config['triton']['transport'];
  /** How many servers share the requests; one where it does not say. */
  readonly servers?: () => number;
  /**
   * The wanted outputs, in that order; name, type, shape and length of each have been checked.
   * model: the name under which Triton has it.
   * Throws Failure model_unavailable (unreachable, lost, not loaded) or inference_failed (the model's own
   * error, no answer in time, an answer unlike what was wanted), and the signal's reason once it is aborted.
   */
  infer(
    model: string,
    inputs: readonly Tensor[],
    wanted: readonly RequestedOutput[],
    signal: AbortSignal,
  ): Promise<Tensor[]>;
  /** Ends the requests that are under way; these and later ones fail as model_unavailable. */
  close(): Promise<void>;
}
