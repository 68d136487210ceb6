/** The clips, portraits and sounds in a folder, and the sound files that a bench makes of them. */
import { mkdir, readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { execa } from 'execa';
import { ffmpegPath } from '../../tests/real/ffmpeg.ts';

/** A clip and its own sound as a file. */
export type Clip = {
  readonly name: string;
  readonly path: string;
  readonly sound: string;
  /** Of its own sound; null without one, or with less than 2 s of it. */
  readonly seconds: number | null;
};
export type Portrait = { readonly name: string; readonly path: string };
/** A sound file with 2 s of silence between two halves of speech. */
export type Sound = { readonly name: string; readonly path: string };
export type Media = {
  readonly clips: readonly Clip[];
  readonly portraits: readonly Portrait[];
  readonly sounds: readonly Sound[];
};

const kinds = {
  clip: /\.(mp4|mov|avi|webm|mkv|mpg)$/i,
  portrait: /\.(png|jpe?g|webp)$/i,
  sound: /\.(wav|mp3|m4a|aac|flac|ogg)$/i,
};
/** Speech before and after a silence: the motion of the mouth in the silence is measured. All in seconds. */
const HALF = 3;
const GAP = 2;
const fromFirstSound = 'silenceremove=start_periods=1:start_threshold=-40dB';

/**
 * `longest`: seconds after which a clip's own sound is cut. Throws where the folder has no sound, or neither clip nor
 * portrait. A picture with "noface" in its name is left out.
 */
export const listMedia = async (folder: string, dir: string, longest: number): Promise<Media> => {
  const names = (await readdir(folder)).sort();
  const of = (kind: RegExp) => names.filter((name) => kind.test(name));
  const made = join(dir, 'sounds');
  await mkdir(made, { recursive: true });
  const clips = [];
  for (const file of of(kinds.clip)) clips.push(await clipOf(join(folder, file), made, longest));
  const portraits = of(kinds.portrait)
    .filter((name) => !name.includes('noface'))
    .map((name) => ({ name: parse(name).name, path: join(folder, name) }));
  const sounds = [];
  for (const file of of(kinds.sound)) sounds.push(await withGap(join(folder, file), made));
  if (sounds.length === 0 || clips.length + portraits.length === 0)
    throw new Error(`${folder}: expected clips or portraits, and sounds`);
  return { clips, portraits, sounds };
};

const clipOf = async (path: string, dir: string, longest: number): Promise<Clip> => {
  const { name } = parse(path);
  const sound = join(dir, `${name}.wav`);
  const mono = ['-vn', '-ac', '1', '-c:a', 'pcm_s16le'];
  // On the clock of the pictures: the sound may begin before the first of them.
  const from = await firstPicture(path);
  const done = await ffmpeg(['-i', path, '-ss', from, '-t', `${longest}`, ...mono, sound], false);
  const [, hours = 0, minutes = 0, seconds = 0] = (
    /time=(\d+):(\d+):([\d.]+)/.exec(done.stderr.slice(done.stderr.lastIndexOf('time='))) ?? []
  ).map(Number);
  const length = hours * 3600 + minutes * 60 + seconds;
  return { name, path, sound, seconds: done.exitCode === 0 && length > 2 ? length : null };
};

const firstPicture = async (path: string): Promise<string> => {
  const one = ['-map', '0:v:0', '-frames:v', '1', '-vf', 'showinfo', '-f', 'null', '-'];
  const { stderr } = await ffmpeg(['-i', path, ...one]);
  return /pts_time:([\d.]+)/.exec(`${stderr}`)?.[1] ?? '0';
};

const withGap = async (path: string, dir: string): Promise<Sound> => {
  const { name } = parse(path);
  const target = join(dir, `${name}.gap.wav`);
  const parts = [
    `[0]aresample=48000,aformat=channel_layouts=mono,${fromFirstSound},asplit[a][b]`,
    `[a]atrim=0:${HALF},apad=pad_dur=${GAP},atrim=0:${HALF + GAP}[one]`,
    `[b]atrim=${HALF}:${2 * HALF},asetpts=N/SR/TB[two]`,
    `[one][two]concat=n=2:v=0:a=1[out]`,
  ];
  await ffmpeg(['-i', path, '-filter_complex', parts.join(';'), '-map', '[out]', target]);
  return { name, path: target };
};

export const ffmpeg = (args: readonly string[], reject = true) =>
  execa(ffmpegPath, ['-hide_banner', '-nostdin', '-y', ...args], { reject });
