/** The face that shall speak: found by the service, or at a point of one picture of the clip. */
import { freshId, make } from './dom.ts';
import type { Field } from './field.ts';
import type { Point } from './preview.ts';
import { labelOf } from './words.ts';

/** What the service tells of the clip: pictures a second, and how many. */
export type Rate = { readonly fps: number; readonly frames: number };

export type PointField = Field & {
  /** Null: there is another picture, in which the point means nothing. */
  point(point: Point | null): void;
  /** Tells how the clip counts its pictures. Answers whether the value changed by that. */
  rate(rate: Rate): boolean;
};

type Speaker = { readonly frame?: number; readonly x?: number; readonly y?: number };

export const pointField = (name: string, description: string | undefined): PointField => {
  const [frame, x, y] = [coordinate('frame'), coordinate('x'), coordinate('y')];
  const auto = make('input', { type: 'checkbox', checked: true });
  const inputs = make(
    'div',
    { class: 'row', hidden: true },
    ...[frame, x, y].map(({ label, input }) => make('span', { class: 'coordinate' }, label, input)),
  );
  /** Of a click in a clip whose rate is not known yet. */
  let waiting: number | null = null;

  const show = (given: Speaker | undefined): void => {
    auto.checked = given === undefined;
    inputs.hidden = auto.checked;
    frame.input.value = String(given?.frame ?? '');
    x.input.value = String(given?.x ?? '');
    y.input.value = String(given?.y ?? '');
  };
  auto.addEventListener('change', () => {
    inputs.hidden = auto.checked;
    if (frame.input.value === '') frame.input.value = '0';
  });

  return {
    element: make(
      'fieldset',
      { class: 'field' },
      make('legend', {}, labelOf(name)),
      make('label', { class: 'check' }, auto, make('span', {}, 'Find the face by itself')),
      inputs,
      make(
        'p',
        { class: 'hint' },
        description ??
          'Or click the face in the picture above. Its place is in pixels; frames count from 0.',
      ),
    ),
    value: () => {
      // The price is the same, whoever speaks; with its answer the rate comes.
      if (auto.checked || waiting !== null) return undefined;
      if ([frame, x, y].some(({ input }) => input.value === '' || !input.validity.valid))
        throw new Error(
          `${labelOf(name)}: expected a frame, and x and y in pixels, or a click on the face.`,
        );
      return {
        frame: frame.input.valueAsNumber,
        x: x.input.valueAsNumber,
        y: y.input.valueAsNumber,
      };
    },
    set: (value) => {
      waiting = null;
      const given: Speaker = Object(value);
      show(given.x === undefined ? undefined : given);
    },
    point: (point) => {
      waiting = point && point.seconds > 0 ? point.seconds : null;
      show(point ? { x: point.x, y: point.y, ...(waiting === null && { frame: 0 }) } : undefined);
    },
    rate: ({ fps, frames }) => {
      if (waiting === null) return false;
      frame.input.value = String(frameAt(waiting, fps, frames));
      waiting = null;
      return true;
    },
  };
};

/** A time in seconds may lie a little before its frame's: browsers round it. */
const EARLY_FRAMES = 0.01;

/** The number of the picture that is shown at a time. */
const frameAt = (seconds: number, fps: number, frames: number): number =>
  Math.max(0, Math.min(frames - 1, Math.floor(seconds * fps + EARLY_FRAMES)));

const coordinate = (name: string) => {
  const id = freshId(name);
  const input = make('input', { id, type: 'number', min: 0, step: 1 });
  return { label: make('label', { for: id }, labelOf(name)), input };
};
