import { open } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { Failure } from '../errors.ts';
import type { Container } from './ffmpeg.ts';

export type MediaType =
  | { readonly kind: 'image'; readonly mime: string; readonly extension: string }
  | {
      readonly kind: 'video';
      readonly mime: string;
      readonly extension: string;
      readonly container: Container;
    };

const types: readonly MediaType[] = [
  { kind: 'image', mime: 'image/png', extension: 'png' },
  { kind: 'image', mime: 'image/jpeg', extension: 'jpg' },
  { kind: 'image', mime: 'image/webp', extension: 'webp' },
  { kind: 'image', mime: 'image/avif', extension: 'avif' },
  { kind: 'video', mime: 'video/mp4', extension: 'mp4', container: 'mov' },
  { kind: 'video', mime: 'video/x-m4v', extension: 'm4v', container: 'mov' },
  { kind: 'video', mime: 'video/quicktime', extension: 'mov', container: 'mov' },
  { kind: 'video', mime: 'video/vnd.avi', extension: 'avi', container: 'avi' },
  { kind: 'video', mime: 'video/webm', extension: 'webm', container: 'matroska' },
];
const accepted = new Map(types.map((type) => [type.mime, type]));

/** What the file is by its content, never by its name. Throws unsupported_media_type, for animated images too. */
export const identify = async (path: string): Promise<MediaType> => {
  const [found, head] = await Promise.all([fileTypeFromFile(path), readHead(path)]);
  const type = found && accepted.get(found.mime);
  if (type && !isAnimated(type.mime, head)) return type;
  throw new Failure('unsupported_media_type', {
    expected: 'PNG, JPEG, WebP, AVIF, MP4, MOV, AVI or WebM',
    came: describe(found?.mime, head),
  });
};

const describe = (mime: string | undefined, head: Buffer): string => {
  if (head.length === 0) return 'empty';
  if (mime && (isAnimated(mime, head) || animated.has(mime))) return `an animated image (${mime})`;
  return mime ?? (isText(head) ? 'text' : 'of an unknown type');
};

const animated = new Set(['image/apng', 'image/gif']);

const isAnimated = (mime: string, head: Buffer): boolean => {
  // RIFF, size, "WEBP", "VP8X", size, then a byte of flags of which bit 1 is animation.
  if (mime === 'image/webp') {
    return head.toString('latin1', 12, 16) === 'VP8X' && ((head[20] ?? 0) & 2) !== 0;
  }
  // An image sequence says so by a brand in its first box: size, "ftyp", major, version, others.
  if (mime === 'image/avif') {
    return /avis|msf1/.test(head.toString('latin1', 8, head.readUInt32BE(0)));
  }
  return false;
};

const isText = (head: Buffer): boolean => {
  try {
    // The head may end within a character: `stream` lets that pass.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
};

const readHead = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};
