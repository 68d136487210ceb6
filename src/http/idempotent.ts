import { createHash } from 'node:crypto';
import { idempotencyKey } from '../contract/idempotency-key.ts';
import { Failure } from '../errors.ts';
import type { Begun, Claim } from '../jobs/submit/idempotency.ts';
import { isUnreachable } from '../redis/errors.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import { counted } from '../text/counted.ts';
import type { Context } from './context.ts';
import type { Caller, Parts } from './parts.ts';
import { shorten } from './shorten.ts';

type Asked = {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly body: unknown;
  readonly files: Readonly<Record<string, StoredFile>>;
};

type Ways<T> = {
  /** Handles the first request. `claim` has to be bound to the job that it creates. */
  readonly make: (claim?: Claim) => Promise<T>;
  /** Answers a repeated request from what the first one created. */
  readonly replay: (before: Exclude<Begun, { state: 'new' }>) => Promise<T>;
};

/** Runs `make` once per Idempotency-Key. When it fails, the key can be used again. */
export const oncePerKey = async <T>(
  asked: Asked,
  { idempotency }: Pick<Parts, 'idempotency'>,
  { make, replay }: Ways<T>,
): Promise<T> => {
  const key = idempotencyKeyOf(asked.ctx);
  if (key === undefined) return make();
  const begun = await idempotency.begin(asked.caller.account, key, hashOf(asked));
  if (begun.state !== 'new') {
    asked.ctx.set('Idempotent-Replayed', 'true');
    return replay(begun);
  }
  const { claim } = begun;
  const stopRenewing = idempotency.renewing(claim);
  try {
    return await make(claim);
  } catch (error) {
    stopRenewing();
    // Without Redis the claim cannot be freed, but it expires within seconds.
    await unlessUnreachable(idempotency.free(claim));
    throw error;
  } finally {
    stopRenewing();
  }
};

const unlessUnreachable = async (work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
};

/** The Idempotency-Key of a request, undefined without one. Failure invalid_idempotency_key. */
export const idempotencyKeyOf = (ctx: Context): string | undefined => {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKey.test(key))
    throw new Failure('invalid_idempotency_key', { came: toldOf(`${key}`) });
  return key;
};

const toldOf = (key: string): string =>
  key.length > 0 && key.length <= 255
    ? JSON.stringify(shorten(key))
    : counted(key.length, 'character');

/** A hash of the request. The order of JSON fields does not matter, because the body was parsed by its schema. */
const hashOf = ({ ctx, body, files }: Asked): string => {
  const shas = Object.entries(files).map(([name, { sha256 }]) => [name, sha256]);
  const request = JSON.stringify([ctx.method, ctx.path, body, shas.sort()]);
  return createHash('sha256').update(request).digest('hex');
};
