/** The face that shall speak: found by the service, or at a point of the first picture. */
import { freshId, make } from './dom.ts';
import type { Field } from './fields.ts';
import type { Point } from './source.ts';
import { labelOf } from './words.ts';

export type PointField = Field & { point(point: Point): void };

export const pointField = (name: string, description: string | undefined): PointField => {
  const [x, y] = [coordinate('x'), coordinate('y')];
  const auto = make('input', { type: 'checkbox', checked: true });
  const inputs = make('div', { class: 'row', hidden: true }, x.label, x.input, y.label, y.input);
  const show = (): void => {
    inputs.hidden = auto.checked;
  };
  auto.addEventListener('change', show);
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
        description ?? 'Or click the face in the picture above: its place is in pixels.',
      ),
    ),
    value: () => {
      if (auto.checked) return undefined;
      if (x.input.value === '' || y.input.value === '')
        throw new Error(`${labelOf(name)}: expected x and y in pixels, or a click on the face.`);
      return { frame: 0, x: x.input.valueAsNumber, y: y.input.valueAsNumber };
    },
    set: (value) => {
      const given: { x?: number; y?: number } = Object(value);
      auto.checked = given.x === undefined;
      x.input.value = String(given.x ?? '');
      y.input.value = String(given.y ?? '');
      show();
    },
    point: (point) => {
      auto.checked = false;
      x.input.value = String(point.x);
      y.input.value = String(point.y);
      show();
    },
  };
};

const coordinate = (name: string) => {
  const id = freshId(name);
  const input = make('input', { id, type: 'number', min: 0, step: 1 });
  return { label: make('label', { for: id }, name), input };
};
