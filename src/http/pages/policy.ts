/** What the page may load and do. Pure. */
import { isLoopback } from '../../bearer.ts';
import type { Config } from '../../config.ts';

/** The headers of the page under the name `host`, in place of those of an API answer. */
export const pageHeaders = (config: Config, host: string): Record<string, string> => {
  // On plain HTTP from another machine browsers ignore that header, with an error in the console.
  const isTrusted = config.http.publicUrl.startsWith('https:') || isLoopback(host);
  const media = ["'self'", 'blob:', ...resultOrigins(config.files.s3)].join(' ');
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': media,
    'media-src': media,
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    ...(isTrusted && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(self)',
  };
};

/** Where a result's link leads when the bucket itself gives results out: the bucket's host, or its server's. */
const resultOrigins = (s3: Config['files']['s3']): string[] => {
  if (!s3?.presign) return [];
  const { bucket, region, forcePathStyle } = s3;
  const server = new URL(
    s3.presign.endpoint ?? s3.endpoint ?? `https://s3.${region}.amazonaws.com`,
  );
  return [`${server.protocol}//${forcePathStyle ? '' : `${bucket}.`}${server.host}`];
};
