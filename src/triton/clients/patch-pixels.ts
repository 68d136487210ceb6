/** The pixels of a patch as tensors. */
import type { Size } from '../../frame.ts';
import { fp32, type Tensor, uint8 } from '../protocol/tensor.ts';

/** How Y, U and V become colours: the weights kr and kb of red and blue in luma, and whether the values use all of 0..255. */
export type Coding = { readonly kr: number; readonly kb: number; readonly fullRange: boolean };

/** Planes in 4:2:0, coded so, or RGB. */
export type PixelCoding = Coding | 'rgb';

/** Y, U and V in 4:2:0, one plane after the other, or RGB: its `PixelCoding` says which. */
export type Patch = Size & { readonly pixels: Buffer };

/** whose: what the names of the tensors begin with. */
export const pixelTensors = (
  { width, height, pixels }: Patch,
  coding: PixelCoding,
  whose = '',
): Tensor[] => {
  if (coding === 'rgb') return [uint8(`${whose}RGB`, [height, width, 3], pixels)];
  const [luma, chroma] = [width * height, (width / 2) * (height / 2)];
  return [
    uint8(`${whose}Y`, [height, width], pixels.subarray(0, luma)),
    uint8(`${whose}U`, [height / 2, width / 2], pixels.subarray(luma, luma + chroma)),
    uint8(`${whose}V`, [height / 2, width / 2], pixels.subarray(luma + chroma)),
  ];
};

/** What goes along with planes. */
export const codingTensors = (coding: PixelCoding): Tensor[] =>
  coding === 'rgb'
    ? []
    : [fp32('COLOUR', [3], Float32Array.of(coding.kr, coding.kb, coding.fullRange ? 1 : 0))];
