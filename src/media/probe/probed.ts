import { LRUCache } from 'lru-cache';
import type { MediaInfo } from '../info.ts';

/** What pictures and clips were found to be, by whatever their probes depend on. */
export type Probed = Pick<LRUCache<string, MediaInfo>, 'get' | 'set'>;

/** Remembers the last 500, each of at most some kB. */
export const openProbed = (): Probed => new LRUCache({ max: 500 });
