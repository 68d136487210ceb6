import type { MediaInfo } from '../../media/info.ts';
import type { Help, Task } from '../operation.ts';
import type { UpscaleOptions } from './request.ts';

export type UpscaleTask = Task<UpscaleOptions, MediaInfo>;
export type UpscaleHelp = Help<UpscaleOptions, MediaInfo>;
