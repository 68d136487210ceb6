/** A chosen file as it looks or sounds. A click on a picture tells the point, in pixels of the picture. */
import type { MediaKind } from '../src/contract/media.ts';
import { make } from './dom.ts';
import type { Point } from './source.ts';

type Wanted = {
  readonly file: Blob;
  readonly kind: MediaKind;
  readonly name: string;
  readonly onPoint: ((point: Point) => void) | undefined;
};

export const preview = ({ file, kind, name, onPoint }: Wanted): HTMLElement => {
  const src = URL.createObjectURL(file);
  if (kind === 'audio') return make('audio', { src, controls: true, 'aria-label': name });
  const media =
    kind === 'image' ? make('img', { src, alt: `Preview of ${name}` }) : clip(src, name);
  const figure = make('div', { class: 'preview' }, media);
  media.addEventListener('error', () => {
    figure.replaceChildren(
      make(
        'p',
        { class: 'hint' },
        'This browser cannot show the file. The service may still read it.',
      ),
    );
  });
  if (onPoint) pickable(figure, media, onPoint);
  return figure;
};

/** Without controls where a click means a face: it shows its first frame. */
const clip = (src: string, name: string): HTMLVideoElement =>
  make('video', {
    src,
    muted: true,
    playsinline: true,
    preload: 'auto',
    controls: true,
    'aria-label': name,
  });

const pickable = (
  figure: HTMLElement,
  media: HTMLImageElement | HTMLVideoElement,
  onPoint: (point: Point) => void,
): void => {
  const mark = make('span', { class: 'mark', hidden: true });
  figure.append(
    mark,
    make('p', { class: 'hint' }, 'Several faces? Click the one that shall speak.'),
  );
  if (media instanceof HTMLVideoElement) media.controls = false;
  media.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent)) return;
    const [width, height] = sizeOf(media);
    const [x, y] = [event.offsetX / media.clientWidth, event.offsetY / media.clientHeight];
    mark.hidden = false;
    mark.style.left = `${media.offsetLeft + event.offsetX}px`;
    mark.style.top = `${media.offsetTop + event.offsetY}px`;
    onPoint({ x: Math.round(x * width), y: Math.round(y * height) });
  });
};

const sizeOf = (media: HTMLImageElement | HTMLVideoElement): [number, number] =>
  media instanceof HTMLImageElement
    ? [media.naturalWidth, media.naturalHeight]
    : [media.videoWidth, media.videoHeight];
