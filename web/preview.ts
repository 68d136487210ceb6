/** A chosen file as it looks or sounds. A click on a picture tells the point, in pixels of the picture, and when it is shown. */
import type { MediaKind } from '../src/contract/media.ts';
import { type Chosen, isPicture, srcOf } from './chosen.ts';
import { freshId, make } from './dom.ts';
import { videoOf } from './video.ts';
import { durationText } from './words.ts';

/** `seconds`: from the start of the clip; 0 for a picture. */
export type Point = { readonly x: number; readonly y: number; readonly seconds: number };

type Wanted = {
  readonly chosen: Chosen;
  readonly kind: MediaKind;
  readonly onPoint: ((point: Point) => void) | undefined;
  /** Aborted when it is shown no more. */
  readonly gone: AbortSignal;
};
type Visual = HTMLImageElement | HTMLVideoElement;

export const preview = ({ chosen, kind, onPoint, gone }: Wanted): HTMLElement => {
  const { name } = chosen;
  const src = srcOf(chosen, gone);
  if (kind === 'audio') return make('audio', { src, controls: true, 'aria-label': name });
  const media = isPicture(chosen)
    ? make('img', { src, alt: `Preview of ${name}` })
    : clip(src, name, !onPoint);
  const figure = make(
    'div',
    { class: 'preview' },
    ...(onPoint ? pickable(media, onPoint) : [media]),
  );
  media.addEventListener('error', () => figure.replaceChildren(unseen()));
  return figure;
};

/** Where a click means a face, a slider takes the place of the controls, which a click would hit. */
const clip = (src: string, name: string, controls: boolean): HTMLVideoElement =>
  videoOf(src, { controls, 'aria-label': name, muted: true });

const unseen = (): HTMLElement =>
  make('p', { class: 'hint' }, 'This browser cannot show the file.');

/** The picture under the mark of the face, a sentence, and for a clip the way to its other pictures. */
const pickable = (media: Visual, onPoint: (point: Point) => void): HTMLElement[] => {
  const mark = make('span', { class: 'mark', hidden: true });
  const marked = make('div', { class: 'marked' }, media, mark);
  media.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent) || sizeOf(media).width === 0) return; // it is still loading
    mark.hidden = false;
    // Shares of the picture, which becomes smaller with the window.
    mark.style.left = `${(100 * event.offsetX) / media.clientWidth}%`;
    mark.style.top = `${(100 * event.offsetY) / media.clientHeight}%`;
    onPoint(pointIn(media, event));
  });
  const hint = make('p', { class: 'hint' }, 'Several faces? Click the one that should speak.');
  if (media instanceof HTMLImageElement) return [marked, hint];
  const hide = (): void => {
    mark.hidden = true;
  };
  return [marked, timeSlider(media, hide), hint];
};

/** In its own pixels; 0 while it is loading. */
const sizeOf = (media: Visual): { readonly width: number; readonly height: number } =>
  media instanceof HTMLImageElement
    ? { width: media.naturalWidth, height: media.naturalHeight }
    : { width: media.videoWidth, height: media.videoHeight };

const pointIn = (media: Visual, { offsetX, offsetY }: MouseEvent): Point => {
  const { width, height } = sizeOf(media);
  const seconds = media instanceof HTMLImageElement ? 0 : media.currentTime;
  const x = Math.round((offsetX / media.clientWidth) * width);
  const y = Math.round((offsetY / media.clientHeight) * height);
  return { x: Math.min(x, width - 1), y: Math.min(y, height - 1), seconds };
};

const timeSlider = (video: HTMLVideoElement, onMove: () => void): HTMLElement => {
  const id = freshId('picture');
  const range = { type: 'range', min: 0, max: 1, step: 'any', value: 0 };
  const slider = make('input', { id, ...range, disabled: true });
  const clock = make('span', { class: 'clock' }, durationText(0));
  video.addEventListener('loadedmetadata', () => {
    slider.max = String(video.duration);
    slider.disabled = false;
  });
  slider.addEventListener('input', () => {
    video.currentTime = slider.valueAsNumber;
    clock.textContent = durationText(slider.valueAsNumber);
    onMove();
  });
  return make('div', { class: 'row' }, make('label', { for: id }, 'Picture at'), slider, clock);
};
