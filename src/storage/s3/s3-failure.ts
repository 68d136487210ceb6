import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '../../errors.ts';
import { diskFailure } from '../disk-failure.ts';

/** What S3 servers call a lack of space: 507, or a name of theirs (MinIO, Ceph, Garage). */
const FULL = ['InsufficientStorage', 'XMinioStorageFull', 'QuotaExceeded', 'StorageFull'];
/** Statuses of 400 to 499 that pass by themselves: a request that took too long, and too many of them. */
const PASSING = [408, 429];
/** What S3 says when what came is not what was sent, or a part of a file is not there. */
const DAMAGED = ['BadDigest', 'InvalidPart', 'InvalidPartOrder', 'XAmzContentSHA256Mismatch'];

/** Whether the server says that there is no such file. It is no answer about a bucket that does not exist. */
export const isGone = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  error.$metadata.httpStatusCode === 404 &&
  error.name !== 'NoSuchBucket';

/**
 * The Failure of a call to S3 that failed; `call` says which, for the operator's log. Callers see none of it.
 * storage_full: the server has no room; storage_failed: it refuses, or a file was damaged on its way; storage_unavailable: it
 * does not answer, or not in time, or says that it cannot now.
 */
export const s3Failure = (error: unknown, call: string): Failure => {
  if (error instanceof Failure) return error;
  const disk = diskFailure(error);
  if (disk) return disk;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  const told = (advice: string) => ({
    cause: new Error(`S3: ${call} failed: ${status ?? ''} ${name}: ${message}; ${advice}`, {
      cause: error,
    }),
  });
  if (status === 507 || FULL.includes(name))
    return new Failure('storage_full', { store: true }, told('make room or raise its quota'));
  if (DAMAGED.includes(name)) {
    const reason = 'it was damaged on its way';
    return new Failure('storage_failed', { reason }, told('it is tried again'));
  }
  if (name === 'CredentialsProviderError' || isRefusal(status)) {
    const reason = 'the storage of media refused it';
    const advice = 'check S3_BUCKET, S3_REGION, the credentials and what they allow';
    return new Failure('storage_failed', { reason }, told(advice));
  }
  return new Failure('storage_unavailable', {}, told('check S3_ENDPOINT and the server'));
};

const isRefusal = (status = 0): boolean =>
  status >= 300 && status < 500 && !PASSING.includes(status);
