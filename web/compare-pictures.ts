/** Two pictures, one above the other, with a divider to move; fitted to the page, or one pixel of the result for one of the screen. */
import { button, freshId, make } from './dom.ts';

/** `name`: what the picture on the left is. */
export const comparePictures = (
  before: string | null,
  after: string,
  name = 'Original',
): HTMLElement => {
  const result = make('img', { src: after, alt: 'The result', class: 'after' });
  const original =
    before === null
      ? null
      : make('img', {
          src: before,
          alt: `${name}, at the same size`,
          class: 'before',
        });
  const line = make('span', { class: 'line', hidden: original === null });
  const pair = make('div', { class: 'pair' }, result, original, line);
  const frame = make(
    'div',
    { class: 'frame', tabindex: 0, role: 'group', 'aria-label': `${name} and result` },
    pair,
  );
  const id = freshId('divider');
  const slider = make('input', { id, type: 'range', min: 0, max: 100, step: 0.5, value: 50 });

  const label = make('label', { for: id }, `${name} | result`);

  /** The divider keeps its place in the frame while the pictures are scrolled below it. */
  const cut = (): void => {
    const x = frame.scrollLeft + (slider.valueAsNumber / 100) * frame.clientWidth - pair.offsetLeft;
    const share = (100 * x) / Math.max(1, pair.clientWidth);
    pair.style.setProperty('--cut', `${Math.max(0, Math.min(100, share))}%`);
  };
  slider.addEventListener('input', cut);
  frame.addEventListener('scroll', cut);
  const sizes = new ResizeObserver(cut);
  for (const element of [frame, pair]) sizes.observe(element);

  result.addEventListener('error', () => frame.replaceWith(unseen('result')));
  original?.addEventListener('error', () => {
    for (const part of [original, line, label, slider]) part.remove();
    frame.after(unseen(name.toLowerCase()));
  });

  const zoom = button(
    '1:1',
    () => {
      if (result.naturalWidth === 0) return; // it is still loading
      const isFull = frame.classList.toggle('full');
      // In real pixels of the screen, so that none of the result is scaled.
      pair.style.width = isFull ? `${result.naturalWidth / devicePixelRatio}px` : '';
      zoom.setAttribute('aria-pressed', String(isFull));
      if (isFull)
        frame.scrollTo(
          (pair.clientWidth - frame.clientWidth) / 2,
          (pair.clientHeight - frame.clientHeight) / 2,
        );
      cut();
    },
    { 'aria-pressed': 'false', title: 'Show every pixel of the result' },
  );

  moves(frame, (share) => {
    slider.valueAsNumber = 100 * share;
    cut();
  });
  return make(
    'div',
    { class: 'compare' },
    frame,
    make('div', { class: 'row' }, original && label, original && slider, zoom),
  );
};

/** What a browser knows differs: TIFF, for one, only Safari does. */
export const unseen = (what: string): HTMLElement =>
  make('p', { class: 'hint' }, `This browser cannot show the ${what}.`);

/** The divider follows a pressed pointer. */
const moves = (frame: HTMLElement, move: (share: number) => void): void => {
  const follow = (event: PointerEvent): void => {
    const { left, width } = frame.getBoundingClientRect();
    move(Math.max(0, Math.min(1, (event.clientX - left) / width)));
  };
  frame.addEventListener('dragstart', (event) => event.preventDefault());
  frame.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || (event.pointerType === 'touch' && frame.classList.contains('full')))
      return;
    frame.setPointerCapture(event.pointerId);
    follow(event);
  });
  frame.addEventListener('pointermove', (event) => {
    if (frame.hasPointerCapture(event.pointerId)) follow(event);
  });
};
