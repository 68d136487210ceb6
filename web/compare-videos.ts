/** The original and the result side by side, played as one: the result leads, and the original follows it. Both fitted to the page, or one pixel of the result for one of the screen. */
import { unseen } from './compare-pictures.ts';
import { button, freshId, make } from './dom.ts';
import { videoOf } from './video.ts';
import { durationText } from './words.ts';

/** Further apart than about two frames can be seen. */
const APART_SECONDS = 0.08;

export const compareVideos = (
  before: HTMLVideoElement | HTMLImageElement | null,
  after: string,
  name = 'Original',
): HTMLElement => {
  const result = videoOf(after, { 'aria-label': 'The result' });
  const original = before instanceof HTMLVideoElement ? before : null;
  const shown = make(
    'div',
    { class: before ? 'side-by-side' : '' },
    before && titled(name, before),
    titled('Result', result),
  );
  before?.addEventListener('error', () => before.replaceWith(unseen(name.toLowerCase())));
  result.addEventListener('error', () => result.replaceWith(unseen('result')));
  if (original) follows(original, result);
  return make('div', { class: 'compare' }, shown, controls(result, zoomOf(shown, result)));
};

const titled = (title: string, media: HTMLElement): HTMLElement => {
  const view = make('div', { class: 'view', role: 'group', 'aria-label': title }, media);
  return make('figure', {}, view, make('figcaption', {}, title));
};

/** Shows both at the size of the result; where they are scrolled, they show the same place. */
const zoomOf = (shown: HTMLElement, result: HTMLVideoElement): HTMLElement => {
  const views = [...shown.querySelectorAll<HTMLElement>('.view')];
  for (const view of views)
    view.addEventListener('scroll', () => {
      for (const other of views) other.scrollTo(view.scrollLeft, view.scrollTop);
    });
  const zoom = button(
    '1:1',
    () => {
      if (result.videoWidth === 0) return; // it is still loading
      const isFull = shown.classList.toggle('full');
      shown.style.setProperty('--width', `${result.videoWidth / devicePixelRatio}px`);
      for (const view of views) {
        // With the keys, too, once there is something to scroll.
        view.tabIndex = isFull ? 0 : -1;
        view.scrollTo(
          (view.scrollWidth - view.clientWidth) / 2,
          (view.scrollHeight - view.clientHeight) / 2,
        );
      }
      zoom.setAttribute('aria-pressed', String(isFull));
    },
    { 'aria-pressed': 'false', title: 'Show every pixel of the result' },
  );
  return zoom;
};

const follows = (original: HTMLVideoElement, result: HTMLVideoElement): void => {
  original.muted = true;
  const align = (): void => {
    const time = Math.min(result.currentTime, original.duration || result.currentTime);
    if (Math.abs(original.currentTime - time) > APART_SECONDS) original.currentTime = time;
  };
  const go = (): void => {
    align();
    // Beyond its end a shorter original stays on its last picture.
    if (result.currentTime < original.duration) void play(original);
  };
  result.addEventListener('play', go);
  result.addEventListener('pause', () => original.pause());
  result.addEventListener('waiting', () => original.pause());
  result.addEventListener('playing', go);
  result.addEventListener('seeked', align);
  result.addEventListener('timeupdate', align);
};

/** A pause, or a video that cannot be read, ends an attempt to play with an error, which is seen without it. */
const play = async (video: HTMLVideoElement): Promise<void> => {
  try {
    await video.play();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
};

const controls = (result: HTMLVideoElement, zoom: HTMLElement): HTMLElement => {
  const id = freshId('time');
  const time = make('input', { id, type: 'range', min: 0, max: 1, step: 0.01, value: 0 });
  const clock = make('span', { class: 'clock' });
  const toggle = button('Play', () => (result.paused ? play(result) : result.pause()), {
    class: 'main',
  });
  const mute = button(
    'Mute',
    () => {
      result.muted = !result.muted;
      mute.setAttribute('aria-pressed', String(result.muted));
    },
    { 'aria-pressed': 'false' },
  );
  const show = (): void => {
    toggle.textContent = result.paused ? 'Play' : 'Pause';
    time.max = String(result.duration || 1);
    time.value = String(result.currentTime);
    clock.textContent = `${durationText(result.currentTime)} of ${durationText(result.duration || 0)}`;
  };
  for (const name of ['play', 'pause', 'timeupdate', 'loadedmetadata', 'ended'])
    result.addEventListener(name, show);
  time.addEventListener('input', () => {
    result.currentTime = time.valueAsNumber;
  });
  return make(
    'div',
    { class: 'row' },
    toggle,
    make('label', { for: id, class: 'unseen' }, 'Time'),
    time,
    clock,
    mute,
    zoom,
  );
};
