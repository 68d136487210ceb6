/** Where a file comes in: dropped, chosen, recorded or a sample. What is pasted, `paste.ts` takes. */
import { NoAnswerError } from '../client/errors.ts';
import { button, freshId, make } from './dom.ts';
import { acceptOf } from './file-kind.ts';
import { recordButton } from './microphone.ts';
import { sentence } from './words.ts';

export type Take = (file: Blob, name: string) => void;

type Wanted = {
  /** Whether for pictures and videos, or for sounds. */
  readonly isVisual: boolean;
  readonly description: string | undefined;
  readonly take: Take;
  /** Something else when there is another file than before. */
  readonly present: () => unknown;
  /** Called when the sample is there. */
  readonly onSample: () => void;
  /** Called with what kept the sample from coming. */
  readonly onFault: (error: unknown) => void;
};

export const dropArea = (wanted: Wanted) => {
  const { isVisual, description, take } = wanted;
  const input = fileInput(isVisual, take);
  const sample = sampleButton(isVisual ? picture : voice, wanted);
  const area = make(
    'div',
    { class: 'drop' },
    label(input.id, isVisual ? 'a picture or a video' : 'a recording'),
    input,
    description && make('p', { class: 'hint' }, sentence(description)),
    make('div', { class: 'row' }, !isVisual && recordButton(take), sample),
  );
  takesDropped(area, take);
  return { element: area, useSample: (): void => sample.click() };
};

const fileInput = (isVisual: boolean, take: Take): HTMLInputElement => {
  const input = make('input', {
    id: freshId('file'),
    type: 'file',
    class: 'unseen',
    accept: acceptOf(isVisual),
  });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) take(file, file.name);
    input.value = ''; // so that the same file can be chosen again
  });
  return input;
};

const label = (input: string, what: string): HTMLElement =>
  make(
    'label',
    { for: input },
    make(
      'span',
      { class: 'empty' },
      make('strong', {}, `Drop ${what} here`),
      'or paste it, or ',
      make('u', {}, 'choose a file'),
    ),
    make('u', { class: 'again' }, 'Choose another file'),
  );

const takesDropped = (area: HTMLElement, take: Take): void => {
  area.addEventListener('dragover', (event) => {
    event.preventDefault();
    area.classList.add('over');
  });
  for (const name of ['dragleave', 'drop'])
    area.addEventListener(name, () => area.classList.remove('over'));
  area.addEventListener('drop', (event) => {
    const [file, ...others] = event.dataTransfer?.files ?? [];
    if (others.length > 0) return; // the page finds a place for each of several: `paste.ts`
    event.preventDefault();
    event.stopPropagation();
    if (file) take(file, file.name);
  });
};

/** A file that comes with the page. address: the `meta` of the page that has its address. */
type Sample = { readonly invitation: string; readonly address: string; readonly name: string };

const picture: Sample = {
  invitation: 'Try the sample',
  address: 'sample-picture',
  name: 'sample.jpg',
};
const voice: Sample = {
  invitation: 'Use the sample voice',
  address: 'sample-voice',
  name: 'sample.mp3',
};

const sampleButton = (
  sample: Sample,
  { take, present, onSample, onFault }: Wanted,
): HTMLElement => {
  const press = button(sample.invitation, async () => {
    if (press.getAttribute('aria-busy') === 'true') return;
    press.setAttribute('aria-busy', 'true');
    const before = present();
    try {
      const file = await fetched(sample.address);
      // A file that was chosen meanwhile is the one that the user wants.
      if (present() === before) {
        take(file, sample.name);
        onSample();
      }
    } catch (error) {
      if (present() === before) onFault(error);
    }
    press.removeAttribute('aria-busy');
  });
  return press;
};

/** Throws NoAnswerError. */
const fetched = async (address: string): Promise<Blob> => {
  const path = document.querySelector(`meta[name=${address}]`)?.getAttribute('content') ?? '';
  try {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return await answer.blob();
  } catch (error) {
    throw new NoAnswerError(location.origin, error);
  }
};
