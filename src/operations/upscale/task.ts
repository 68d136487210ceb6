import type { MediaInfo } from '../../media/info.ts';
import type { Help, Task } from '../operation.ts';
import type { UpscaleOptions } from './request.ts';

export type UpscaleTask = Task<UpscaleOptions, MediaInfo>;
export type UpscaleHelp = Help<UpscaleOptions, MediaInfo>;
/** A task with its models. */
export type VideoTask = Omit<UpscaleTask, 'models'> & Pick<UpscaleHelp, 'models'>;
/** What enlarging the frames of a video takes. */
export type FramesTask = Pick<
  VideoTask,
  'options' | 'input' | 'transport' | 'models' | 'config' | 'signal'
> & { readonly found: Pick<MediaInfo, 'size'> };
