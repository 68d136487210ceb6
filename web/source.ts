/** A place for one file of a request, with its preview and its upload. */
import type { MediaKind } from '../src/contract/media.ts';
import { isVisual } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { button, make } from './dom.ts';
import { dropArea } from './drop-area.ts';
import { faultOf, fits } from './file-fault.ts';
import { kindOf } from './file-kind.ts';
import { onNewKey } from './key.ts';
import { type Point, preview } from './preview.ts';
import { plainBox, problemBox } from './problem-box.ts';
import { createSending, type Taken } from './sending.ts';
import { bytesText } from './words.ts';

export type Source = ReturnType<typeof createSource>;

type Wanted = {
  readonly group: readonly string[];
  readonly description: string | undefined;
  readonly mostBytes: (kind: MediaKind) => number | undefined;
  /** Called whenever the file or its upload changed. */
  readonly onChange: () => void;
  /** Called when the sample was chosen here. */
  readonly onSample: () => void;
  /** Called with a point of the picture that was clicked, and with null when there is another picture. */
  readonly onPoint?: ((point: Point | null) => void) | undefined;
};

export const createSource = (wanted: Wanted) => {
  const { group, onChange, onPoint } = wanted;
  const place = { isVisual: isVisual(group), mostBytes: wanted.mostBytes };
  const shown = make('div', { class: 'shown' });
  const fault = make('div');
  const refusal = make('div');
  let chosen: Chosen | null = null;
  let showing = new AbortController();

  const clear = (): void => {
    sending.discard();
    chosen = null;
    showing.abort();
    showing = new AbortController();
    shown.replaceChildren();
    for (const told of [fault, refusal]) told.replaceChildren();
    element.classList.remove('filled');
    onPoint?.(null);
  };
  const remove = (): void => {
    clear();
    onChange();
  };
  const sending = createSending({ isVisual: place.isVisual, onEnd: onChange, onCancel: remove });

  /** `handOver` is asked, where the file fits, what has become of it elsewhere. */
  const set = (given: Chosen, handOver?: () => Taken): void => {
    const text = faultOf(given, place);
    // A good file that is there stays: it may have taken minutes to send.
    const stays = text && !sending.isRefused() ? chosen : null;
    if (!stays) clear();
    const kept = stays ? ` “${stays.name}” stays.` : '';
    if (text) fault.replaceChildren(plainBox('This file cannot be used', `${text}${kept}`));
    else show(given, handOver?.());
    onChange();
  };
  const show = (given: Chosen, taken?: Taken): void => {
    chosen = given;
    const kind = given.kind ?? (place.isVisual ? 'video' : 'audio');
    const look = preview({ chosen, kind, onPoint, gone: showing.signal });
    shown.replaceChildren(look, fileLine(given, remove));
    element.classList.add('filled');
    sending.begin(given, taken);
  };
  const take = (content: Blob, name: string): void =>
    set({ content, name, kind: kindOf(content, name) });

  // Another account has none of the uploads.
  onNewKey(() => {
    if (chosen) sending.begin(chosen);
    onChange();
  });
  const area = dropArea({
    isVisual: place.isVisual,
    description: wanted.description,
    take,
    present: () => chosen,
    onSample: wanted.onSample,
    onFault: (error) => fault.replaceChildren(problemBox(error)),
  });
  const element = make(
    'div',
    { class: 'source' },
    ...[area.element, shown, fault, refusal, sending.element],
  );
  return {
    element,
    group,
    set,
    take,
    useSample: area.useSample,
    remove,
    /** Says beside the file why the request with it was refused; null: it is not, or not yet. */
    refuse: (error: unknown): void =>
      refusal.replaceChildren(...(error === null ? [] : [problemBox(error)])),
    /** Says that of several files these were not taken. */
    leave: (names: readonly string[]): void =>
      fault.append(plainBox('One file at a time', leftText(names))),
    sent: sending.sent,
    isRefused: sending.isRefused,
    handOver: sending.handOver,
    chosen: () => chosen && { ...chosen, kind: sending.sent()?.kind ?? chosen.kind },
    takes: (kind: MediaKind | undefined) => fits(kind, place.isVisual),
  };
};

const leftText = (names: readonly string[]): string => {
  const others = names.length > 1 ? ` and ${names.length - 1} more` : '';
  return `A request takes one file here; not taken: “${names[0]}”${others}.`;
};

const fileLine = ({ name, content }: Chosen, remove: () => void): HTMLElement =>
  make(
    'p',
    { class: 'file' },
    make('bdi', {}, name),
    make(
      'span',
      { class: 'hint' },
      content instanceof Blob ? bytesText(content.size) : 'the result of an earlier job',
    ),
    button('Remove', remove, { 'aria-label': `Remove ${name}` }),
  );
