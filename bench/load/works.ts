/** Jobs of all kinds, small enough that hundreds are done in a minute; each can be made anew, so that no cache knows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { h264, makeClip, pattern } from '../../tests/real/clip.ts';
import { tempDir } from '../../tests/real/run.ts';
import { sounds } from '../../tests/real/sounds.ts';
import { portrait } from '../../tests/real/talking.ts';

export type Work = {
  readonly what: string;
  readonly path: '/v1/upscale' | '/v1/lipsync';
  form(): Promise<FormData>;
};

/** Each of ten jobs in turn: six images, two of which are cached from their second time on, two clips, a portrait that speaks. */
const turns = [
  ...['image', 'image', 'cached image', 'clip', 'image'],
  ...['animation', 'cached image', 'image', 'clip', 'portrait'],
] as const;

export const makeWorks = async (): Promise<(index: number) => Work> => {
  const dir = tempDir('load');
  const clip = readFileSync(await makeClip(join(dir, 'clip.mp4'), pattern(0.4, 25, '64x48'), h264));
  const wav = join(dir, 'sound.wav');
  await sounds.babble(wav, 0.5);
  const sound = readFileSync(wav);
  const face = await sharp(portrait).resize(192, 192).png().toBuffer();

  const upscale = (what: string, fields: Fields, part: () => Promise<Part>): Work => ({
    what,
    path: '/v1/upscale',
    form: async () => formOf(fields, [await part()]),
  });
  const make = {
    image: (seed: number) =>
      upscale('image', { model: 'photo', scale: 2 }, () => picture(96, 64, seed)),
    animation: (seed: number) =>
      upscale('animation', { model: 'animation', scale: 4 }, () => picture(64, 48, seed)),
    'cached image': () =>
      upscale('cached image', { model: 'photo', scale: 2 }, () => picture(96, 64, 0)),
    clip: (seed: number) =>
      upscale('clip', { model: 'animation', scale: 2, effort: 'best' }, async () => ({
        part: 'video',
        name: 'a.mp4',
        bytes: Buffer.concat([clip, freeBox(seed)]),
      })),
    portrait: (seed: number): Work => ({
      what: 'portrait',
      path: '/v1/lipsync',
      form: async () =>
        formOf(
          { model: 'fast', options: JSON.stringify({ expressiveness: (seed % 9973) / 9973 }) },
          [
            { part: 'image', name: 'a.png', bytes: face },
            { part: 'audio', name: 'a.wav', bytes: sound },
          ],
        ),
    }),
  };
  return (index) => make[turns[index % turns.length] ?? 'image'](index + 1);
};

type Fields = Readonly<Record<string, string | number>>;
type Part = { readonly part: string; readonly name: string; readonly bytes: Buffer };

const formOf = (fields: Fields, parts: readonly Part[]): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const { part, name, bytes } of parts)
    form.append(part, new Blob([Uint8Array.from(bytes)]), name);
  return form;
};

/** A gradient with the number in its first pixels: of each number another picture, as costly as the others. */
const picture = async (width: number, height: number, seed: number): Promise<Part> => {
  const pixels = Buffer.alloc(width * height * 3);
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = (i * 7 + (i >> 6)) & 255;
  pixels.writeUInt32LE(seed, 0);
  const raw = { width, height, channels: 3 as const };
  return { part: 'image', name: 'a.png', bytes: await sharp(pixels, { raw }).png().toBuffer() };
};

/** A box of MP4 that players pass over: it makes a file of its own out of the same clip. */
const freeBox = (seed: number): Buffer => {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(16, 0);
  box.write('free', 4);
  box.writeUInt32BE(seed, 8);
  return box;
};
