import type { Config } from '../../config.ts';
import { encodeRequest } from './binary.ts';
import { openExchange, readReply } from './exchange.ts';
import { trusted } from './faults.ts';
import { checkOutputs } from './tensor.ts';
import type { Transport } from './transport.ts';

/** Tensors in the bodies of HTTP requests: works everywhere that Triton can be reached. */
export const openHttp = (config: Config['triton']): Transport => {
  const exchange = openExchange(config);
  return {
    kind: 'http',
    infer: async (model, inputs, wanted, signal) => {
      const reply = await exchange.infer(model, encodeRequest(inputs, wanted), signal);
      const answered = readReply(model, reply);
      return trusted(model, () => checkOutputs(wanted, answered));
    },
    close: async () => exchange.close(),
  };
};
