import type { Config } from '../../src/config.ts';
import type { LipsyncModel } from '../../src/operations/lip-sync/request.ts';
import { type LipsyncModels, lipsyncSlots, openLipsync } from '../../src/triton/clients/lipsync.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import type { Transport } from '../../src/triton/protocol/transport.ts';
import { shippedSet } from './triton.ts';

/** The shipped models of everything that clips and portraits go through, or `others` by their Triton slots. */
export const lipsyncModels = async (
  model: LipsyncModel,
  transport: Transport,
  config: Config['triton'],
  others: Readonly<Record<string, string>> = {},
): Promise<LipsyncModels> => {
  const loaded = await shippedSet(openControl(config), lipsyncSlots(model).image, others);
  return openLipsync(model, 'image', transport, loaded);
};
