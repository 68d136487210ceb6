/** One transport over all replicas. */
import type { Config } from '../../config.ts';
import type { Transport } from '../protocol/transport.ts';
import type { Fleet } from './fleet.ts';

/** A request may be repeated on another replica, as the models keep nothing between requests; not once its caller has left. */
export const openBalanced = (kind: Config['triton']['transport'], fleet: Fleet): Transport => ({
  kind,
  servers: () => fleet.list().length,
  infer: (model, inputs, wanted, signal) =>
    fleet.ask(model, async (server) => {
      signal.throwIfAborted();
      return server.infer(model, inputs, wanted, signal);
    }),
  close: () => fleet.close(),
});
