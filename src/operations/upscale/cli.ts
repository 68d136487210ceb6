import { extname } from 'node:path';
import type { Command } from 'commander';
import { number } from '../../cli/arguments.ts';
import { calling, keyed } from '../../cli/calling.ts';
import { Refused } from '../../cli/client.ts';
import { type JobOptions, runJob } from '../../cli/run-job.ts';
import { UpscaleOutput } from './request.ts';

/** `enhance upscale FILE -o OUT` */
export const upscaleCommand = (program: Command): void => {
  calling(program.command('upscale <file>'))
    .description('upscale an image or a video')
    .requiredOption('-o, --output <file>', 'path of the result; its extension chooses the format')
    .option('-m, --model <model>', 'photo, animation or detail', 'photo')
    .option('-s, --scale <scale>', '2, 4 or 8', '2')
    .option('-f, --format <format>', 'png, jpeg, webp, avif or mp4 (default: by the extension)')
    .option('-q, --quality <quality>', '1 to 100; higher is better and larger', quality)
    .action((file, options) => upscale(file, keyed(options)));
};

const quality = number(UpscaleOutput.shape.quality.unwrap());

type Options = JobOptions & {
  readonly model: string;
  readonly scale: string;
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

const upscale = async (file: string, options: Options): Promise<void> => {
  const part = { part: partOf(options.output), path: file };
  await runJob({ path: '/v1/upscale', parts: [part], fields: fieldsOf(options) }, options);
};

/** The name of the file part. The service goes by the content, so either name is accepted for either kind. */
const partOf = (output: string) => (extname(output).toLowerCase() === '.mp4' ? 'video' : 'image');

const fieldsOf = ({ model, scale, output, format, quality }: Options): Record<string, string> => {
  const wanted = format ?? formats[extname(output).toLowerCase()];
  if (!wanted) {
    const known = Object.keys(formats).join(' ');
    throw new Refused(
      `The output ${output} must end in one of ${known}; or give the format with --format.`,
    );
  }
  return {
    model,
    scale,
    output_format: wanted,
    ...(quality === undefined ? {} : { output: JSON.stringify({ quality }) }),
  };
};
