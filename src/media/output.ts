import type { ImageFormat, OutputFormat, UpscaleOutput } from '../contract/upscale.ts';
import type { Fault } from '../errors.ts';

const images: readonly ImageFormat[] = ['png', 'jpeg', 'webp', 'avif'];

/** The output options that mean something for each format. */
const applicable: Record<OutputFormat, readonly (keyof UpscaleOutput)[]> = {
  png: ['metadata'],
  jpeg: ['quality', 'metadata', 'background'],
  webp: ['quality', 'lossless', 'metadata'],
  avif: ['quality', 'lossless', 'metadata'],
  mp4: ['quality', 'lossless'],
};

export const defaultFormat = (kind: 'image' | 'video'): OutputFormat =>
  kind === 'image' ? 'png' : 'mp4';

export const contentType = (format: OutputFormat): string =>
  format === 'mp4' ? 'video/mp4' : `image/${format}`;

/** Every fault of the output that was asked for, given what the input turned out to be. Nothing is ignored in silence. */
export const checkOutput = (
  kind: 'image' | 'video',
  format: OutputFormat,
  output: UpscaleOutput = {},
): Fault[] => {
  const allowed: readonly OutputFormat[] = kind === 'image' ? images : ['mp4'];
  if (!allowed.includes(format)) {
    const detail = `The input is ${kind === 'image' ? 'an image' : 'a video'}: expected ${allowed.join(', ')}; ${format} came.`;
    return [{ pointer: '/output_format', code: 'not_for_this_input', detail, allowed }];
  }
  const asked = Object.entries(output).flatMap(([option, value]) =>
    value === undefined ? [] : [option],
  );
  const names: readonly string[] = applicable[format];
  const faults = asked
    .filter((option) => !names.includes(option))
    .map((option) => ({
      pointer: `/output/${option}`,
      code: 'not_for_this_format',
      detail: `${option} means nothing for ${format}, which takes ${names.join(', ')}.`,
    }));
  if (!faults.length && output.lossless && output.quality !== undefined) {
    const detail = 'quality and lossless exclude each other.';
    faults.push({ pointer: '/output/quality', code: 'contradiction', detail });
  }
  return faults;
};
