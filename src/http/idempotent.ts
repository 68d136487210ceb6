import { createHash } from 'node:crypto';
import { idempotencyKey } from '../contract/openapi.ts';
import { Failure } from '../errors.ts';
import type { Begun, Claim } from '../jobs/submit/idempotency.ts';
import { isUnreachable } from '../redis.ts';
import type { IncomingFile } from './body/body.ts';
import type { Caller, Parts } from './parts.ts';
import type { Context } from './route.ts';

type Asked = {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly body: unknown;
  readonly files: Readonly<Record<string, IncomingFile>>;
};

type Ways<T> = {
  /** For a first request; a claim it gets has to be bound to what is made. */
  readonly make: (claim?: Claim) => Promise<T>;
  /** For a repeated one, with what the first left. */
  readonly replay: (before: Exclude<Begun, { state: 'new' }>) => Promise<T>;
};

/** Makes once per Idempotency-Key. A refusal frees the key again. */
export const once = async <T>(
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
    // Where Redis is away the claim ends by itself within seconds.
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

/** Undefined where none was sent. Failure invalid_idempotency_key. */
export const idempotencyKeyOf = (ctx: Context): string | undefined => {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKey.test(key)) {
    throw new Failure('invalid_idempotency_key');
  }
  return key;
};

/** The same for the same request, however its JSON was ordered: the body went through its schema. */
const hashOf = ({ ctx, body, files }: Asked): string => {
  const shas = Object.entries(files).map(([name, { sha256 }]) => [name, sha256]);
  const request = JSON.stringify([ctx.method, ctx.path, body, shas.sort()]);
  return createHash('sha256').update(request).digest('hex');
};
