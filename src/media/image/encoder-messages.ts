/** The messages between this service and the process that encodes a picture for it. */
import { z } from 'zod';
import type { Picture } from '../../frame.ts';
import type { ImageEncoding } from './picture.ts';

/** The number of bytes of pixels that follow on its standard input. */
export type ToEncoder = {
  readonly picture: Omit<Picture, 'pixels'>;
  readonly bytes: number;
  readonly encoding: ImageEncoding;
};

/** Why the picture could not be encoded; null: it is written. */
export const Encoded = z.object({ failed: z.string().nullable() });
export type Encoded = z.infer<typeof Encoded>;
