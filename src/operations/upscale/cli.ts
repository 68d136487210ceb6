import { extname } from 'node:path';
import type { Command } from 'commander';
import { number } from '../../cli/arguments.ts';
import {
  checkSource,
  isFolderAt,
  isRemote,
  kindByName,
  pathOf,
  type Source,
  targetsOf,
} from '../../cli/paths.ts';
import { Refused } from '../../cli/refused.ts';
import type { JobOptions, Use } from '../../cli/run-jobs.ts';
import { defaultFormat } from '../../contract/media.ts';
import { kindOf } from '../../media/probe/identify.ts';
import { DENOISES, Effort, UpscaleOutput } from './request.ts';

/** `enhance upscale FILE… -o OUT`, and `enhance estimate upscale FILE…` */
export const upscaleCommand = (program: Command, { adopt, send }: Use): void => {
  adopt(program.command('upscale <files...>'))
    .description('upscale images and videos: files, addresses, or ids of jobs and uploads')
    .option(
      '-m, --model <model>',
      'photo, animation or detail, or a release such as photo@r2',
      'photo',
    )
    .option('-s, --scale <scale>', '2, 4 or 8', '2')
    .option('-f, --format <format>', 'png, jpeg, webp, avif or mp4 (default: by the extension)')
    .option(
      '-e, --effort <effort>',
      `${Effort.options.join(' or ')} (default: realtime for videos, best for images)`,
    )
    .option(
      '-d, --denoise <level>',
      `${DENOISES.join(', ')}: how much of blocks and noise is taken away; 1 to 3 for photo with effort best (default: auto)`,
    )
    .option('-q, --quality <quality>', '1 to 100; higher is better and larger', quality)
    .action(async (files: readonly Source[], options: Options) =>
      send('upscale', await wishesOf(files, options), options),
    );
};

const quality = number(UpscaleOutput.shape.quality.unwrap());

type Options = JobOptions & {
  readonly output?: string;
  readonly model: string;
  readonly scale: string;
  readonly effort?: string;
  readonly denoise?: string;
  readonly format?: string;
  readonly quality?: number;
};

const formats: Readonly<Record<string, string>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.avif': 'avif',
  '.mp4': 'mp4',
};

const wishesOf = async (files: readonly Source[], options: Options) => {
  const { output, model, scale } = options;
  const picked = await Promise.all(files.map((file) => formatOf(file, options)));
  const suffix = `-${model.replace('@', '-')}-${scale}x`;
  const targets =
    output === undefined
      ? []
      : targetsOf(files, output, (name, at) => `${name}${suffix}${extensionOf(picked[at])}`);
  return files.map((file, at) => ({
    sources: { image: file },
    fields: fieldsOf(options, picked[at]),
    ...(targets[at] !== undefined && { target: targets[at] }),
  }));
};

/** What was asked for, or what the name of the result says, or, in a folder, what the source is. */
const formatOf = async (file: Source, { format, output }: Options): Promise<string | undefined> => {
  if (format || output === undefined) return format;
  if (isFolderAt(output)) return formatInFolder(file);
  const found = formats[extensionIn(output)];
  if (found) return found;
  const known = Object.keys(formats).join(' ');
  throw new Refused(
    `${output} must end in one of ${known} for the format of the result; or give it with --format.`,
  );
};

/** An image may be animated, which its name does not tell: it becomes a video. Of what is elsewhere only the name is known. */
const formatInFolder = async (file: Source): Promise<string> => {
  checkSource(file);
  const found = isRemote(file) ? undefined : await kindOf(file);
  if (found === 'video') return defaultFormat.video;
  const named = formats[extensionIn(pathOf(file))];
  if (named) return named;
  const kind = found ?? kindByName(file);
  if (kind === 'audio') throw new Refused(`${file} is a sound; expected images and videos.`);
  if (kind) return defaultFormat[kind];
  throw new Refused(`The name of ${file} tells no format for its result; give --format.`);
};

const extensionIn = (path: string): string => extname(path).toLowerCase();

const extensionOf = (format = ''): string => (format === 'jpeg' ? '.jpg' : `.${format}`);

const fieldsOf = (
  { model, scale, effort, denoise, quality }: Options,
  format: string | undefined,
) => ({
  model,
  scale: Number(scale),
  ...(effort && { effort }),
  ...(denoise && { denoise }),
  ...(format && { output_format: format }),
  ...(quality !== undefined && { output: { quality } }),
});
