/** The playground: finds a key, asks what the service can do, and puts the page together from that. */
import type { ModelList } from '../src/contract/models.ts';
import { operationsIn } from './catalogue.ts';
import { askCredits, onCredits } from './credits.ts';
import { button, byId, make } from './dom.ts';
import { readDraft } from './draft.ts';
import { createForm } from './form.ts';
import { createHistory } from './history.ts';
import { askKey, changeKey, currentKey, findKey, onNewKey } from './key.ts';
import { keep } from './originals.ts';
import { createOutcome } from './outcome.ts';
import { problemBox } from './problem-box.ts';
import { ask } from './service.ts';
import { checkKey, openTabs } from './tabs.ts';
import { creditsText } from './words.ts';

onCredits((available) => {
  byId('credits').hidden = available === null;
  if (available !== null) byId('credits').textContent = creditsText(available);
});

const build = async (list: ModelList): Promise<() => Promise<unknown>> => {
  const operations = operationsIn(list);
  const draft = await readDraft(); // before there is a form, which keeps its own
  const refresh = () => Promise.all([askCredits(), history.load()]);
  const form = createForm(operations, async ({ job, body, files }) => {
    await keep(job.id, body, files); // before the job is shown: a reload may follow at once
    void refresh();
    await outcome.show(job);
  });
  const onEnd = () => {
    form.askAgain();
    void refresh();
  };
  const outcome = createOutcome({ operations, fill: form.fill, onEnd });
  const history = createHistory({
    operations,
    open: (job) => outcome.show(job),
    fill: form.fill,
    onChange: refresh,
  });
  byId('form').replaceChildren(form.element);
  byId('panels').hidden = false;
  if (draft) form.fill(draft.kind, draft.body, draft.files);
  // Other tabs and programs may have used the account meanwhile.
  document.onvisibilitychange = () => {
    if (document.visibilityState === 'visible')
      void Promise.all([askCredits(), history.loadIfUntouched()]);
  };
  return () => Promise.all([refresh(), outcome.restore()]);
};

const start = async (): Promise<void> => {
  const loading = byId('loading');
  loading.hidden = false;
  if (currentKey() === '' && !(await askKey('To use the service from here, enter an API key.'))) {
    const text = 'The service works for those who have an API key.';
    loading.replaceChildren(make('p', {}, text), button('Enter a key', start, { class: 'main' }));
    return;
  }
  try {
    if (!(await checkKey())) {
      offerKeyChange(another);
      const text =
        'This key is for the admin tab only; the playground needs the scopes create and read.';
      loading.replaceChildren(
        make('p', {}, text),
        button('Enter a key', another, { class: 'main' }),
      );
      return;
    }
    const list = await ask<ModelList>('/v1/models');
    loading.hidden = true;
    const load = await build(list);
    onNewKey(() => void renew(load));
    offerKeyChange(() => changeKey('Enter the key to use from now on.'));
    await load();
  } catch (error) {
    loading.replaceChildren(problemBox(error), button('Try again', start, { class: 'main' }));
  }
};

/** Before this the button could do nothing. */
const offerKeyChange = (act: () => unknown): void => {
  byId('change-key').onclick = act;
  byId('change-key').removeAttribute('disabled');
};

/** Another key may have other scopes. */
const renew = async (load: () => Promise<unknown>): Promise<void> => {
  try {
    byId('loading').hidden = true;
    await checkKey();
    await load();
  } catch (error) {
    byId('loading').replaceChildren(problemBox(error));
    byId('loading').hidden = false;
  }
};

const another = async (): Promise<void> => {
  if (await askKey('Enter a key with the scopes create and read.')) await start();
};

try {
  await findKey();
  await openTabs();
  await start();
} catch (error) {
  const again = button('Try again', () => location.reload(), { class: 'main' });
  byId('loading').replaceChildren(problemBox(error), again);
}
