/** How many attempts of each account are under way, so that slow receivers of one leave places to the others. Pure. */

/** Attempts of one account at a time. */
const MOST = 10;
/** A round of MOST attempts takes at least about so long. */
const ROUND_MS = 50;
const LONGEST_MS = 5_000;

type Share = { running: number; turnedAway: number };

export const openShares = () => {
  const shares = new Map<string, Share>();
  return {
    /** Takes a place of the account: null; where there is none, after how many ms to ask again. */
    take: (account: string): number | null => {
      const share = shares.get(account) ?? { running: 0, turnedAway: 0 };
      shares.set(account, share);
      if (share.running < MOST) {
        share.running += 1;
        return null;
      }
      share.turnedAway += 1;
      return Math.min(LONGEST_MS, ROUND_MS * Math.ceil(share.turnedAway / MOST));
    },

    give: (account: string): void => {
      const share = shares.get(account);
      if (!share) return;
      share.running -= 1;
      if (share.running === 0) shares.delete(account);
    },
  };
};
