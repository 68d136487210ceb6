import type { Colour } from '../../media/info.ts';
import { outputColour } from '../../media/scaler.ts';
import type { Coding } from '../../triton/clients/patch-pixels.ts';

/** The weights of red and blue in luma (ITU-T H.273, table 4), by ffmpeg's names of the matrices. */
const weights: Readonly<Record<string, readonly [kr: number, kb: number]>> = {
  bt709: [0.2126, 0.0722],
  fcc: [0.3, 0.11],
  bt470bg: [0.299, 0.114],
  smpte170m: [0.299, 0.114],
  smpte240m: [0.212, 0.087],
  bt2020nc: [0.2627, 0.0593],
  bt2020c: [0.2627, 0.0593],
};

/** What the renderer needs to turn the clip's YUV codes into colours. */
export const codingOf = (colour: Colour): Coding => {
  const { matrix, fullRange } = outputColour(colour);
  const [kr, kb] = weights[matrix] ?? [];
  if (kr === undefined || kb === undefined) throw new Error(`the YUV matrix ${matrix} is unknown`);
  return { kr, kb, fullRange };
};
