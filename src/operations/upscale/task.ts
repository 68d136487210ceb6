import type { MediaInfo } from '../../media/info.ts';
import type { Help, Task } from '../operation.ts';
import type { UpscaleOptions } from './request.ts';

export type UpscaleTask = Task<UpscaleOptions, MediaInfo>;
export type UpscaleHelp = Help<UpscaleOptions, MediaInfo>;
/** What enlarging the frames of a video takes. */
export type FramesTask = Pick<
  UpscaleTask,
  'options' | 'input' | 'transport' | 'models' | 'config' | 'signal'
> & { readonly found: Pick<MediaInfo, 'size'> };
