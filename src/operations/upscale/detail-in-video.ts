/** The warning of a video for the model that is made for single images. Pure. */
import type { Warning } from '../../contract/job.ts';
import type { VideoInfo } from '../../media/info.ts';
import { counted } from '../../text/counted.ts';
import type { UpscaleOptions } from './request.ts';

/** How long it takes: measured in docs/performance.md. */
export const detailInVideo = (
  { model }: Pick<UpscaleOptions, 'model'>,
  info: Pick<VideoInfo, 'kind' | 'frames'> | { readonly kind: 'image' },
): readonly Warning[] => {
  if (model !== 'detail' || info.kind === 'image') return [];
  const detail = `The model detail is made for single images: it invents the texture of each of the ${counted(info.frames, 'frame')} anew, so the video flickers, and takes about 30 times as long as photo with effort best.`;
  return [{ code: 'made_for_images', detail }];
};
