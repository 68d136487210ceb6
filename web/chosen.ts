/** A file of a request: one of this browser, or the result of an earlier job. */
import type { MediaKind } from '../src/contract/media.ts';
import { own } from './service.ts';

export type Chosen = {
  readonly name: string;
  /** What it seems to be; only the service looks inside. */
  readonly kind: MediaKind | undefined;
  /** The file; or the link of a result, which the service has already. */
  readonly content: Blob | string;
};

/** Where an element of the page finds it. */
export const srcOf = ({ content }: Chosen): string =>
  typeof content === 'string' ? own(content) : URL.createObjectURL(content);
