/** How many attempts of each account are under way, so that slow receivers of one leave places to the others. Pure. */

/** Attempts of one account at a time. */
const MOST = 10;
/** About the least time that a round of MOST attempts takes. */
const ROUND_MS = 50;
/** Each question costs a worker about 1 ms, and an account may have 10,000 deliveries that wait. */
const LONGEST_MS = 30_000;

/** waiting: an estimate, as one that was turned away again is counted again. */
type Share = { running: number; waiting: number };

export const openShares = () => {
  const shares = new Map<string, Share>();
  return {
    /** Takes a place of the account: null; where there is none, after how many ms to ask again. */
    take: (account: string): number | null => {
      const share = shares.get(account) ?? { running: 0, waiting: 0 };
      shares.set(account, share);
      if (share.running < MOST) {
        share.running += 1;
        share.waiting = Math.max(0, share.waiting - 1);
        return null;
      }
      share.waiting += 1;
      return Math.min(LONGEST_MS, ROUND_MS * Math.ceil(share.waiting / MOST));
    },

    give: (account: string): void => {
      const share = shares.get(account);
      if (!share) return;
      share.running -= 1;
      if (share.running === 0) shares.delete(account);
    },
  };
};
