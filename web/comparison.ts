/** A result beside what it was made of, or beside what another model made of the same. */
import type { ResultOf } from '../client/client.ts';
import type { Job } from '../client/contract.ts';
import { type Chosen, isPicture, srcOf } from './chosen.ts';
import { comparePictures } from './compare-pictures.ts';
import { compareVideos } from './compare-videos.ts';
import { button, make } from './dom.ts';
import { othersLike } from './other-models.ts';
import { own } from './service.ts';
import { videoOf } from './video.ts';
import { labelOf } from './words.ts';

type Before = { readonly name: string; readonly src: string; readonly isVideo: boolean };

export type Compared = {
  readonly job: Job;
  readonly result: ResultOf<Job>;
  /** The picture or clip, when this browser still has it. */
  readonly original: Chosen | null;
  /** Aborted when it is shown no more. */
  readonly gone: AbortSignal;
};

export const comparison = ({ job, result, original, gone }: Compared): HTMLElement => {
  const first = original && {
    name: 'Original',
    src: srcOf(original, gone),
    isVideo: !isPicture(original),
  };
  const view = make('div', {}, viewOf(result, first));
  const offers = make('p', { class: 'row' });
  const offer = (before: Before): HTMLElement =>
    button(`Compare with ${before.name}`, () => view.replaceChildren(viewOf(result, before)));
  void othersOf(job).then((others) => {
    if (others.length > 0) offers.append(...[...(first ? [first] : []), ...others].map(offer));
  });
  return make('div', {}, view, offers);
};

const viewOf = (
  { content_type, output_url }: ResultOf<Job>,
  before: Before | null,
): HTMLElement => {
  const after = own(output_url);
  if (content_type.startsWith('image/'))
    return comparePictures(before?.src ?? null, after, before?.name);
  return compareVideos(before && mediaOf(before), after, before?.name);
};

const mediaOf = ({ src, isVideo, name }: Before): HTMLVideoElement | HTMLImageElement =>
  isVideo ? videoOf(src, { 'aria-label': name }) : make('img', { src, alt: name });

const othersOf = async (job: Job): Promise<Before[]> => {
  try {
    return (await othersLike(job)).flatMap(({ model, result }) =>
      result
        ? {
            name: labelOf(model),
            src: own(result.output_url),
            isVideo: result.content_type.startsWith('video/'),
          }
        : [],
    );
  } catch {
    return []; // the result itself is there; only the choice is missing
  }
};
