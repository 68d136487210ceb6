import { make } from './dom.ts';

/**
 * A clip that shows its first picture before it is played. Safari on an iPhone ignores `preload` and shows an empty box
 * until then, unless the address names a time (a media fragment, which is not sent to the server).
 */
export const videoOf = (
  src: string,
  attributes: Parameters<typeof make>[1] = {},
): HTMLVideoElement =>
  make('video', { src: `${src}#t=0.001`, playsinline: true, preload: 'auto', ...attributes });
