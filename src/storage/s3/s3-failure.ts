import { PassThrough, type Readable } from 'node:stream';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { asFailure, Failure } from '../../errors.ts';
import { diskFailure } from '../disk-failure.ts';

/** What S3 servers call a lack of space: 507, or a name of theirs (MinIO, Ceph, Garage). */
const FULL = ['InsufficientStorage', 'XMinioStorageFull', 'QuotaExceeded', 'StorageFull'];
/** Statuses of 400 to 499 that pass by themselves: a request that took too long, and too many of them. */
const PASSING = [408, 429];
/** What S3 says when what came is not what was sent, or a part of a file is not there. */
const DAMAGED = ['BadDigest', 'InvalidPart', 'InvalidPartOrder', 'XAmzContentSHA256Mismatch'];

/** A call whose errors become those of `s3Failure`. */
export const told = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw s3Failure(error, call);
  }
};

/** The same; null when the server has no such file. */
export const unlessGone = <T>(call: string, work: () => Promise<T>): Promise<T | null> =>
  told(call, async () => {
    try {
      return await work();
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  });

/** The same for a stream of bytes. Whoever destroys it closes its connection, also while the server sends nothing. */
export const toldBytes = (call: string, body: Readable): Readable => {
  const bytes = new PassThrough();
  body.once('error', (error) => bytes.destroy(s3Failure(error, call)));
  bytes.once('close', () => body.destroy());
  return body.pipe(bytes);
};

/** The same for what comes in pages. */
export async function* toldEach<T>(call: string, parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* parts;
  } catch (error) {
    throw s3Failure(error, call);
  }
}

/** What came is not what was sent; `what` says how, for the operator's log. */
export const damaged = (what: string): Failure =>
  new Failure(
    'storage_failed',
    { reason: 'it was damaged on its way' },
    { cause: new Error(`S3: ${what}; it is tried again`) },
  );

/** Whether the server says that there is no such file. It is no answer about a bucket that does not exist. */
const isGone = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  error.$metadata.httpStatusCode === 404 &&
  error.name !== 'NoSuchBucket';

/**
 * The Failure of a call to S3 that failed; `call` says which, for the operator's log. Callers see none of it.
 * storage_full: the server has no room; storage_failed: it refuses, or a file was damaged on its way; storage_unavailable: it
 * does not answer, or not in time, or says that it cannot now.
 */
const s3Failure = (error: unknown, call: string): Failure => {
  const answer = error instanceof S3ServiceException ? error : undefined;
  const local = answer ? null : localFailure(error);
  if (local) return local;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const status = answer?.$metadata.httpStatusCode;
  const because = (advice: string) => ({
    cause: new Error(
      `S3: ${call} failed; ${advice}. It said: ${[status, name].filter(Boolean).join(' ')}: ${message}`,
      { cause: error },
    ),
  });
  if (status === 507 || FULL.includes(name))
    return new Failure('storage_full', { store: true }, because('make room or raise its quota'));
  if (DAMAGED.includes(name)) {
    const reason = 'it was damaged on its way';
    return new Failure('storage_failed', { reason }, because('it is tried again'));
  }
  if (name === 'CredentialsProviderError' || isRefusal(status)) {
    const reason = 'the storage of media refused it';
    const advice = 'check S3_BUCKET, S3_REGION, the credentials and what they allow';
    return new Failure('storage_failed', { reason }, because(advice));
  }
  return new Failure('storage_unavailable', {}, because('check S3_ENDPOINT and the server'));
};

/** The failure for an error that is not the server's: a Failure, an error of the local disk, or a mistake of the code. */
const localFailure = (error: unknown): Failure | null => {
  const isMistake = error instanceof TypeError || error instanceof ReferenceError;
  return error instanceof Failure || isMistake ? asFailure(error) : diskFailure(error);
};

const isRefusal = (status = 0): boolean =>
  status >= 300 && status < 500 && !PASSING.includes(status);
