/** "1 credit", "12 credits": a number with its noun in the right form. `plural` where it is not the noun with an s. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** "2.5 s": to a hundredth, without needless zeros. */
export const secondsText = (seconds: number): string => `${Number(seconds.toFixed(2))} s`;
