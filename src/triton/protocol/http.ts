import type { Config } from '../../config.ts';
import { encodeRequest } from './binary.ts';
import { exchange, readReply } from './exchange.ts';
import { trusted } from './faults.ts';
import { checkOutputs } from './tensor.ts';
import type { Transport } from './transport.ts';
import { openWire } from './wire.ts';

/** Tensors in the bodies of HTTP requests: works everywhere that Triton can be reached. */
export const openHttp = (config: Config['triton']): Transport => {
  const wire = openWire(config, { keepAlive: true });
  return {
    kind: 'http',
    infer: async (model, inputs, wanted, signal) => {
      const request = encodeRequest(inputs, wanted);
      const within = { timeoutMs: config.requestTimeoutMs, signal };
      const reply = await exchange(wire, model, request, within);
      const answered = readReply(model, reply);
      return trusted(model, () => checkOutputs(wanted, answered));
    },
    close: async () => wire.close(),
  };
};
