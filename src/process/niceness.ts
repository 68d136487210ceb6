/**
 * Where processors are short the API (0) comes first, then what probes for it and workers, then decoders. `triton` is that of its
 * session alone: in it, `inference/serving/pulse.py` has the threads that compute give way. A session of 10 had so little beside
 * a dozen busy ones that its models could not say in time that they live: docs/decisions/0102.
 */
export const niceness = { probers: 5, worker: 5, triton: 5, decoders: 19 } as const;
