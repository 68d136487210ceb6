/** The messages between this service and a process that probes for it. */
import { types } from 'node:util';
import { z } from 'zod';
import { Failure, type FailureCode, failures } from '../../errors.ts';
import type { VideoProbe } from './probe.ts';
import type { AudioProbe } from './probe-audio.ts';
import type { Rewrapping } from './rewrap.ts';

/** Options without what cannot be sent: a signal becomes `stop`, a call of `admit` becomes `admit` and `admitted`. */
type Sent<Options> = Omit<Options, 'signal' | 'admit'>;

export type ToProber =
  | { readonly is: 'image'; readonly path: string }
  | { readonly is: 'video'; readonly probe: Sent<VideoProbe> }
  | { readonly is: 'audio'; readonly probe: Sent<AudioProbe> }
  | { readonly is: 'rewrap'; readonly rewrapping: Sent<Rewrapping> }
  /** Ends the probe that is under way. */
  | { readonly is: 'stop' }
  /** Whether the bytes may be written. */
  | { readonly is: 'admitted'; readonly yes: boolean };

/** A Failure cannot be sent as such: its code and facts travel beside it. */
const Failed = z.object({
  is: z.literal('failed'),
  failure: z
    .object({
      code: z.custom<FailureCode>(
        (code) => typeof code === 'string' && Object.hasOwn(failures, code),
      ),
      facts: z.record(z.string(), z.unknown()),
    })
    .nullable(),
  error: z.instanceof(Error),
});
type Failed = z.infer<typeof Failed>;

export const FromProber = z.discriminatedUnion('is', [
  z.object({ is: z.literal('found'), found: z.unknown() }),
  z.object({ is: z.literal('admit'), bytes: z.int() }),
  Failed,
]);
export type FromProber = z.infer<typeof FromProber>;

export const failedWith = (thrown: unknown): Failed => ({
  is: 'failed',
  failure: thrown instanceof Failure ? { code: thrown.code, facts: thrown.facts } : null,
  // An AbortError is no native error, and would arrive as a plain object.
  error: types.isNativeError(thrown) ? thrown : new Error(String(thrown)),
});

export const errorOf = ({ failure, error }: Failed): Error =>
  failure ? new Failure(failure.code, failure.facts, { cause: error }) : error;
