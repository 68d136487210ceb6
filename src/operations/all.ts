/** Every operation of the service. A new one is a folder here and a line in this list. */
import { lipSync } from './lip-sync/lip-sync.ts';
import type { Operation } from './operation.ts';
import { upscale } from './upscale/upscale.ts';

export const operations: readonly Operation[] = [upscale, lipSync];
