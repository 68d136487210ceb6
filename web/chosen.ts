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

/** Whether an <img> shows it: to browsers an animated image is one, while the service takes it for a video. */
export const isPicture = ({ kind, content }: Chosen): boolean =>
  kind === 'image' || (content instanceof Blob && content.type.startsWith('image/'));

/** Where an element of the page finds it, until `gone` is aborted: the browser holds the file so long. */
export const srcOf = ({ content }: Chosen, gone: AbortSignal): string => {
  if (typeof content === 'string') return own(content);
  const src = URL.createObjectURL(content);
  gone.addEventListener('abort', () => URL.revokeObjectURL(src), { once: true });
  return src;
};
