import { isIPv6 } from 'node:net';
import { Failure } from '../../errors.ts';

export type BadKeys = ReturnType<typeof createBadKeys>;

const WINDOW_MS = 60_000;
/** Bounds the memory to about 1 MB. */
const MOST_ADDRESSES = 10_000;

/** Counts wrong keys by client address: up to `quota` a minute are answered with 401, further ones with 429. */
export const createBadKeys = (quota: number) => {
  const step = WINDOW_MS / quota;
  /**
   * By address, when its whole quota is available again (ms of `performance.now()`, otherwise as in rate-limit.lua); the
   * one that was counted longest ago is first.
   */
  const fullAt = new Map<string, number>();

  return {
    /** Failure rate_limited when the address has used its quota up. */
    count: (ip: string): void => {
      const address = networkOf(ip);
      const time = performance.now();
      const full = Math.max(fullAt.get(address) ?? time, time);
      if (full + step - time > WINDOW_MS) {
        const retryMs = full + step - time - WINDOW_MS;
        throw new Failure('rate_limited', { retry_after_seconds: Math.ceil(retryMs / 1000) });
      }
      fullAt.delete(address);
      fullAt.set(address, full + step);
      for (const oldest of fullAt.keys()) {
        if (fullAt.size <= MOST_ADDRESSES) break;
        fullAt.delete(oldest);
      }
    },
    size: (): number => fullAt.size,
  };
};

/** The address, or for IPv6 its first 64 bits, as one subscriber usually has a whole /64. */
const networkOf = (ip: string): string => {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip.slice(0, 45);
  const [head = '', tail = ''] = ip.split('::');
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = ip.includes('::') ? 8 - (before?.length ?? 0) - (after?.length ?? 0) : 0;
  return [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])]
    .slice(0, 4)
    .join(':');
};
