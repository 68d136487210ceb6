/** Which requests are the same work. Pure. */
import { createHash } from 'node:crypto';
import type { InputKind } from '../../operations/operation.ts';

type SameWork = {
  readonly account: string;
  /** The operation's kind. */
  readonly kind: string;
  /** The hash of the media's content. */
  readonly sha256: string;
  readonly inputKind: InputKind;
  /** What the operation itself depends on besides. */
  readonly own: readonly unknown[];
};

/** Names a piece of work whatever release does it: 64 hexadecimal digits, equal for equal work. */
export const identityOf = ({ account, kind, sha256, inputKind, own }: SameWork): string =>
  hashOf([account, kind, sha256, inputKind, ...own]);

/** Names the result of that work by a release, signed by someone or by nobody (''): the key of the cache. */
export const fingerprint = (identity: string, modelVersion: string, signedBy = ''): string =>
  hashOf([identity, modelVersion, ...(signedBy === '' ? [] : [signedBy])]);

const hashOf = (what: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(what)).digest('hex');
