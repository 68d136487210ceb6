/** The one way to the models: tensors in, tensors out, whatever carries them. */
import type { Config } from '../../config.ts';
import { openSharedMemory } from '../shared-memory/transport.ts';
import { openGrpc } from './grpc.ts';
import { openHttp } from './http.ts';
import type { Tensor, Wanted } from './tensor.ts';

export interface Transport {
  readonly kind: Config['triton']['transport'];
  /**
   * The wanted outputs, in that order; name, type, shape and length of each have been checked.
   * Throws Failure model_unavailable (unreachable, lost, not loaded) or inference_failed (the model's own
   * error, no answer in time, an answer unlike what was wanted), and the signal's reason once it is aborted.
   */
  infer(
    model: string,
    inputs: readonly Tensor[],
    wanted: readonly Wanted[],
    signal: AbortSignal,
  ): Promise<Tensor[]>;
  /** Gives up what is under way; that and later requests fail as model_unavailable. */
  close(): Promise<void>;
}

/** Opens the configured transport. Throws an Error that says why, when it cannot work here. */
export const openTransport = async (config: Config['triton']): Promise<Transport> => {
  switch (config.transport) {
    case 'http':
      return openHttp(config);
    case 'grpc':
      return openGrpc(config);
    case 'shared-memory':
      return openSharedMemory(config);
  }
};
