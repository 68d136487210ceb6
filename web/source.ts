/** A place for one file of a request: drop, paste, browse, a sample or the microphone. The file is sent ahead at once, for the price. */
import type { MediaKind } from '../src/contract/media.ts';
import type { Upload } from '../src/contract/uploads.ts';
import { isVisual } from './catalogue.ts';
import { announce, button, freshId, make } from './dom.ts';
import { kindOf } from './file-kind.ts';
import { onNewKey } from './key.ts';
import { recordButton } from './microphone.ts';
import { preview } from './preview.ts';
import { plainBox, problemBox } from './problem-box.ts';
import { upload } from './upload.ts';
import { bytesText, sentence } from './words.ts';

export type Chosen = {
  readonly file: Blob;
  readonly name: string;
  readonly kind: MediaKind | undefined;
};
export type Point = { readonly x: number; readonly y: number };
export type Source = ReturnType<typeof createSource>;

type Wanted = {
  readonly group: readonly string[];
  readonly description: string | undefined;
  readonly mostBytes: (kind: MediaKind) => number | undefined;
  /** Called whenever the file or its upload changed. */
  readonly onChange: () => void;
  /** Called with a point of the picture that was clicked. */
  readonly onPoint?: ((point: Point) => void) | undefined;
};

export const createSource = (wanted: Wanted) => {
  const { group, onChange } = wanted;
  const visual = isVisual(group);
  const status = make('div', { class: 'sent' });
  const shown = make('div', { class: 'shown' });
  const element = make('div', { class: 'source' });
  let chosen: Chosen | null = null;
  let sent: Upload | null = null;
  let under = new AbortController();

  const begin = async (): Promise<void> => {
    if (!chosen) return;
    const { signal } = under;
    const bar = make('progress', { max: 1, value: 0, 'aria-label': `Upload of ${chosen.name}` });
    status.replaceChildren(bar);
    try {
      const onProgress = (share: number) => {
        bar.value = share;
      };
      sent = await upload(chosen.file, chosen.name, { signal, onProgress });
      chosen = { ...chosen, kind: sent.kind };
      status.replaceChildren();
      announce(`${chosen.name} is uploaded.`);
    } catch (error) {
      if (signal.aborted) return;
      status.replaceChildren(problemBox(error), button('Try again', begin));
    }
    onChange();
  };

  const set = (file: Blob, name: string): void => {
    clear();
    const kind = kindOf(file, name);
    const fault = faultOf({ file, name, kind }, wanted, visual);
    if (fault) {
      status.replaceChildren(plainBox('This file does not fit', fault));
      return;
    }
    chosen = { file, name, kind };
    shown.replaceChildren(
      preview({ file, kind: kind ?? (visual ? 'video' : 'audio'), name, onPoint: wanted.onPoint }),
      make(
        'p',
        { class: 'file' },
        make('bdi', {}, name),
        make('span', { class: 'hint' }, bytesText(file.size)),
        button('Remove', remove, { 'aria-label': `Remove ${name}` }),
      ),
    );
    element.classList.add('filled');
    onChange();
    void begin();
  };

  const remove = (): void => {
    clear();
    onChange();
  };

  const clear = (): void => {
    under.abort();
    under = new AbortController();
    [chosen, sent] = [null, null];
    for (const media of shown.querySelectorAll('img, video, audio'))
      URL.revokeObjectURL(media.getAttribute('src') ?? '');
    shown.replaceChildren();
    status.replaceChildren();
    element.classList.remove('filled');
  };

  onNewKey(() => {
    under.abort();
    under = new AbortController();
    sent = null;
    onChange();
    void begin();
  });
  element.append(dropArea(group, wanted.description, set), shown, status);
  return {
    element,
    group,
    set,
    chosen: () => chosen,
    sent: () => sent,
    takes: (kind: MediaKind | undefined) => fits(kind, visual),
  };
};

const dropArea = (
  group: readonly string[],
  description: string | undefined,
  set: (file: Blob, name: string) => void,
): HTMLElement => {
  const visual = isVisual(group);
  const id = freshId('file');
  const what = visual ? 'a picture or a video' : 'a recording';
  const input = make('input', {
    id,
    type: 'file',
    class: 'unseen',
    accept: visual ? 'image/*,video/*' : 'audio/*,video/*',
  });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) set(file, file.name);
    input.value = '';
  });
  const area = make(
    'div',
    { class: 'drop' },
    make(
      'label',
      { for: id },
      make(
        'span',
        { class: 'empty' },
        make('strong', {}, `Drop ${what} here`),
        'or paste it, or ',
        make('u', {}, 'choose a file'),
      ),
      make('u', { class: 'again' }, 'Choose another file'),
    ),
    input,
    description && make('p', { class: 'hint' }, sentence(description)),
    visual ? button('Try the sample', () => takeSample(set)) : recordButton(set),
  );
  area.addEventListener('dragover', (event) => {
    event.preventDefault();
    area.classList.add('over');
  });
  for (const name of ['dragleave', 'drop'])
    area.addEventListener(name, () => area.classList.remove('over'));
  area.addEventListener('drop', (event) => {
    event.preventDefault();
    event.stopPropagation();
    const [file] = event.dataTransfer?.files ?? [];
    if (file) set(file, file.name);
  });
  return area;
};

const takeSample = async (set: (file: Blob, name: string) => void): Promise<void> => {
  const path = document.querySelector('meta[name=sample]')?.getAttribute('content') ?? '';
  set(await (await fetch(path)).blob(), 'sample.jpg');
};

const fits = (kind: MediaKind | undefined, visual: boolean): boolean =>
  kind === undefined || (visual ? kind !== 'audio' : kind !== 'image');

/** Why a file is not even sent; undefined where only the server can tell. */
const faultOf = (
  { file, name, kind }: Chosen,
  { mostBytes }: Wanted,
  visual: boolean,
): string | undefined => {
  if (!fits(kind, visual))
    return `Expected ${visual ? 'a picture or a video' : 'a recording'}; “${name}” is of another kind.`;
  if (file.size === 0) return `“${name}” is empty.`;
  const most = mostBytes(kind ?? (visual ? 'video' : 'audio'));
  if (most === undefined || file.size <= most) return undefined;
  return `“${name}” has ${bytesText(file.size)}; at most ${bytesText(most)} are allowed. Nothing was sent.`;
};
