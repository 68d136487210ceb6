/** The clip and the sound of the benches of lip sync's speed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../src/stack/home.mjs';
import { makeClip } from '../../tests/real/clip.ts';
import { sounds } from '../../tests/real/sounds.ts';
import { portrait } from '../../tests/real/talking.ts';

const media = join(root, '../shared/media');

/** A person who moves, of the media beside the checkout where they are there; else a portrait that slides to and fro. */
export const makeSource = (
  dir: string,
  seconds: number,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<string> => {
  const film = join(media, 'vid_woman_silent_1280x720.mp4');
  const zoom = Math.max(width / 400, height / 400);
  const [input, filter] = existsSync(film)
    ? [
        ['-stream_loop', '-1', '-i', film],
        `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height},fps=25`,
      ]
    : [
        ['-loop', '1', '-framerate', '25', '-i', portrait],
        `scale=iw*${zoom}:-2,crop=${width}:${height}:x='(iw-ow)/2+${zoom}*20*sin(t)':y='${zoom}*(30+8*sin(2*t))'`,
      ];
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-pix_fmt', 'yuv420p'];
  return makeClip(
    join(dir, 'clip.mp4'),
    [...input, '-t', String(seconds)],
    ['-an', '-vf', filter, ...codec],
  );
};

export const makeSound = (dir: string, seconds: number): Promise<string> => {
  const path = join(dir, 'sound.wav');
  const speech = join(media, 'aud_english_60s.wav');
  return existsSync(speech)
    ? makeClip(path, ['-stream_loop', '-1', '-i', speech, '-t', String(seconds)])
    : sounds.babble(path, seconds);
};
