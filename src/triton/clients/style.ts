/** How a face is made: decided once for a job, and sent with every later request. */
import { int32, type Tensor } from '../protocol/tensor.ts';

/** The styles, in the order of their numbers in STYLE tensors. */
export const STYLES = ['photo', 'flat'] as const;
export type Style = (typeof STYLES)[number];

export const styleTensor = (style: Style): Tensor => int32('STYLE', [STYLES.indexOf(style)]);
