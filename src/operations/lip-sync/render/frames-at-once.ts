import type { Config } from '../../../config.ts';
import type { MouthRender } from '../../../triton/clients/mouth-render.ts';

/** How many frames of one job are rendered at a time: one in each instance of the renderer, or more where the operator says so. */
export const framesAtOnce = ({ triton }: Config, { instances }: MouthRender): number =>
  Math.max(triton.framesInFlight, instances);
