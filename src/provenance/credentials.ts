/** What content credentials say, as `inference/provenance/read.py` tells it. */
import { z } from 'zod';

export const Credentials = z.object({
  /** `valid`: unchanged since it was signed, by someone who is not among the trusted. */
  state: z.enum(['valid', 'trusted', 'invalid']),
  faults: z.array(z.object({ code: z.string(), detail: z.string() })),
  /** The manifest's address inside the file. */
  manifest: z.string(),
  /** Organisation and name in the signer's certificate. */
  issuer: z.string(),
  signer: z.string(),
  algorithm: z.string(),
  generator: z.string(),
  actions: z.array(
    z.object({
      action: z.string(),
      description: z.string(),
      digital_source_type: z.string(),
      agent: z.string(),
    }),
  ),
  ingredients: z.array(
    z.object({
      title: z.string(),
      relationship: z.string(),
      content_type: z.string(),
      /** Its own credentials, as they were when it was taken. */
      credentials: z.enum(['none', 'valid', 'invalid']),
    }),
  ),
});
export type Credentials = z.infer<typeof Credentials>;

/** What a file turned out to be that cannot be told more of. */
const Untold = z.object({
  state: z.enum(['none', 'unsupported', 'unreadable']),
  faults: z.array(z.object({ code: z.string(), detail: z.string() })),
});

export const Found = z.discriminatedUnion('state', [Credentials, Untold]);
export type Found = z.infer<typeof Found>;
