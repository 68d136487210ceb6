/** Asks before something is done that cannot be taken back, or that callers notice. */
import { button, freshId, make } from '../dom.ts';

type Question = {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly verb: string;
  /** Inputs, which the browser checks before the answer can be yes. */
  readonly inputs?: readonly Node[];
};

export const confirmed = ({ title, text, verb, inputs = [] }: Question): Promise<boolean> => {
  const id = freshId('question');
  const dialog = make('dialog', { 'aria-labelledby': id });
  dialog.append(
    make(
      'form',
      { method: 'dialog' },
      make('h2', { id }, title),
      make('p', {}, text),
      ...inputs,
      make(
        'p',
        { class: 'row' },
        make('button', { class: 'main', type: 'submit', value: 'yes' }, verb),
        button('Cancel', () => dialog.close(''), { class: 'quiet' }),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    };
  });
};
