/**
 * Where processors are short the API (0) comes first, then what probes for it and workers, then models, then decoders.
 * `models` is NICENESS of `inference/serving/keeper.py` too.
 */
export const niceness = { probers: 5, worker: 5, models: 10, decoders: 19 } as const;
