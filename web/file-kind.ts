import { kindOfExtension } from '../client/extensions.ts';
import type { MediaKind } from '../src/contract/media.ts';

/** What a file seems to be, by what the browser says of it and by its name. Only the server looks inside. */
export const kindOf = (file: Blob, name: string): MediaKind | undefined => {
  const [kind] = file.type.split('/');
  if (kind === 'image' || kind === 'video' || kind === 'audio') return kind;
  return kindOfExtension[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
};

/** What a file chooser offers: files of the kinds, also those whose extensions the browser does not know. */
export const acceptOf = (isVisual: boolean): string => {
  const kinds = isVisual ? ['image', 'video'] : ['audio', 'video'];
  const known = Object.entries(kindOfExtension).filter(([, kind]) => kinds.includes(kind));
  return [
    ...kinds.map((kind) => `${kind}/*`),
    ...known.map(([extension]) => `.${extension}`),
  ].join();
};
