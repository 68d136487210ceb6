import type { MediaKind } from '../src/contract/media.ts';

/** What a file seems to be, by what the browser says of it and by its name. Only the server looks inside. */
export const kindOf = (file: Blob, name: string): MediaKind | undefined => {
  const [kind] = file.type.split('/');
  if (kind === 'image' || kind === 'video' || kind === 'audio') return kind;
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return endings[ending];
};

/** What a file chooser offers: files of the kinds, also those whose endings the browser does not know. */
export const acceptOf = (isVisual: boolean): string => {
  const kinds = isVisual ? ['image', 'video'] : ['audio', 'video'];
  const known = Object.entries(endings).filter(([, kind]) => kinds.includes(kind));
  return [...kinds.map((kind) => `${kind}/*`), ...known.map(([ending]) => `.${ending}`)].join();
};

/** Those that browsers do not know everywhere. A test compares them with those of the command line. */
const endings: Readonly<Record<string, MediaKind>> = {
  avif: 'image',
  heic: 'image',
  heif: 'image',
  tif: 'image',
  tiff: 'image',
  bmp: 'image',
  gif: 'image',
  mkv: 'video',
  webm: 'video',
  mov: 'video',
  avi: 'video',
  m4v: 'video',
  '3gp': 'video',
  '3g2': 'video',
  ts: 'video',
  mts: 'video',
  m2ts: 'video',
  mpg: 'video',
  mpeg: 'video',
  vob: 'video',
  wmv: 'video',
  flv: 'video',
  flac: 'audio',
  m4a: 'audio',
  opus: 'audio',
  oga: 'audio',
  aac: 'audio',
  wma: 'audio',
  aif: 'audio',
  aiff: 'audio',
  caf: 'audio',
  amr: 'audio',
};
