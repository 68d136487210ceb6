import type { Config } from '../../src/config.ts';
import { openReleases } from '../../src/models/releases.ts';
import type { LipsyncModel } from '../../src/operations/lip-sync/request.ts';
import { type LipsyncModels, lipsyncSlots, openLipsync } from '../../src/triton/clients/lipsync.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import type { Transport } from '../../src/triton/protocol/transport.ts';

/** The current releases of everything that clips and portraits go through. */
export const lipsyncModels = async (
  model: LipsyncModel,
  transport: Transport,
  config: Config['triton'],
): Promise<LipsyncModels> => {
  const releases = openReleases(openControl(config));
  const loaded = await releases.current(lipsyncSlots(model).image);
  return openLipsync(model, 'image', transport, loaded);
};
