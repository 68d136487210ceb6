/**
 * Where processors are short the API (0) comes first, then workers, then models, then decoders (19, `media/child.ts`).
 * `models` is NICENESS of `inference/serving/keeper.py` too.
 */
export const niceness = { worker: 5, models: 10 } as const;
