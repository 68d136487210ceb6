/** Bearer tokens, and who needs none. Pure. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The token of an Authorization header; '' where there is none. */
export const bearerOf = (authorization: string): string =>
  /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? '';

/** Compares in a time that does not depend on the secrets. One that is not set equals nothing. */
export const isOneOf = (token: string, secrets: readonly (string | undefined)[]): boolean =>
  secrets.some((secret) => secret !== undefined && isSame(token, secret));
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether only programs on this machine can reach a server that listens on `host`. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
