import { isIPv6 } from 'node:net';
import { Failure } from '../../errors.ts';

export type BadKeys = ReturnType<typeof createBadKeys>;

const WINDOW_MS = 60_000;
/** About a megabyte at most, however many addresses try. */
const MOST_ADDRESSES = 10_000;

/** Counts wrong keys by client address: so many in a minute are told as wrong, more are told to slow down. */
export const createBadKeys = (quota: number, now: () => number = Date.now) => {
  const step = WINDOW_MS / quota;
  /** When an address has its whole quota again, as in rate-limit.lua; the one that came first is first. */
  const fullAt = new Map<string, number>();

  return {
    /** Failure rate_limited when the address has used its quota up. */
    count: (ip: string): void => {
      const address = networkOf(ip);
      const time = now();
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

/** One subscriber has a whole /64 of IPv6. */
const networkOf = (ip: string): string => {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip.slice(0, 45);
  const [head = '', tail = ''] = ip.split('::');
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = ip.includes('::') ? 8 - (before?.length ?? 0) - (after?.length ?? 0) : 0;
  return [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])]
    .slice(0, 4)
    .join(':');
};
