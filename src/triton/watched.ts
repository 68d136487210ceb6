/** Requests to one Triton server, measured and traced. */
import { Failure } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { inside, type Tracing } from '../tracing/tracing.ts';
import type { Transport } from './protocol/transport.ts';

type Infer = Transport['infer'];
type Watch = { readonly metrics: Metrics; readonly tracing: Tracing };

/** `replica` names the server, as host and port. */
export const watched =
  (infer: Infer, replica: string, { metrics, tracing }: Watch): Infer =>
  async (model, inputs, wanted, signal) => {
    const end = metrics.triton.begin(replica, model);
    const span = tracing.start(`infer ${model}`, 'client', {
      'enhance.triton.model': model,
      'server.address': replica,
    });
    const ended = (code?: string) => {
      end(code);
      span.end(code);
    };
    try {
      const outputs = await inside(span, () => infer(model, inputs, wanted, signal));
      ended();
      return outputs;
    } catch (error) {
      ended(codeOf(error, signal));
      throw error;
    }
  };

const codeOf = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return 'stopped';
  return error instanceof Failure ? error.code : 'internal_error';
};
