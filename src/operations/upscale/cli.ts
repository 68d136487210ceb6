import { extname } from 'node:path';
import { Refused } from '../../cli/client.ts';
import { type Calling, runJob } from '../../cli/run-job.ts';

type Options = Calling & {
  readonly model: string;
  readonly scale: string;
  readonly format?: string;
  readonly quality?: string;
};

const formats: Readonly<Record<string, string>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.avif': 'avif',
  '.mp4': 'mp4',
};

/** `enhance upscale FILE -o OUT` */
export const upscale = async (file: string, options: Options): Promise<void> => {
  const part = { part: partOf(options.output), path: file };
  await runJob({ path: '/v1/upscale', parts: [part], fields: fieldsOf(options) }, options);
};

/** The content decides what a file is; the part's name only has to be one of the two. */
const partOf = (output: string) => (extname(output).toLowerCase() === '.mp4' ? 'video' : 'image');

const fieldsOf = ({ model, scale, output, format, quality }: Options): Record<string, string> => {
  const wanted = format ?? formats[extname(output).toLowerCase()];
  if (!wanted) {
    const known = Object.keys(formats).join(' ');
    throw new Refused(`${output} must end in one of ${known}, or say --format.`);
  }
  return {
    model,
    scale,
    output_format: wanted,
    ...(quality === undefined ? {} : { output: JSON.stringify({ quality: Number(quality) }) }),
  };
};
