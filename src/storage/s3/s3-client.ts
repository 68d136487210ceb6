import { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../config.ts';

export type Settings = NonNullable<Config['files']['s3']>;

/** Downloads through this service keep a connection each; a further call would wait for one to end. */
const CONNECTIONS = 1024;

/** A client of the server at `endpoint`, Amazon's unless it is given. */
export const clientFor = (
  { region, credentials, forcePathStyle, timeoutMs }: Settings,
  endpoint: string | undefined,
): S3Client =>
  new S3Client({
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: {
      // Until the head of the answer, for each attempt; `fetch` has a deadline for what follows.
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      connectionTimeout: timeoutMs,
      socketTimeout: 0,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
    },
  });
