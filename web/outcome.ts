/** The job that the page shows: its progress, and then its result or its error. Its id is in the address, so that a reload finds it. */
import type { Job } from '../client/contract.ts';
import { isOver } from '../client/follow.ts';
import type { Operation } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import type { Compared } from './comparison.ts';
import { announce, button, byId, make } from './dom.ts';
import { asItIs } from './expired.ts';
import type { Body } from './options.ts';
import { kept } from './originals.ts';
import { box, problemBox } from './problem-box.ts';
import { progressView } from './progress.ts';
import { resultView } from './result.ts';
import { service } from './service.ts';

type Wanted = {
  readonly operations: readonly Operation[];
  readonly fill: (kind: string, body: Body, files: readonly (Chosen | null)[]) => void;
  /** Called when a job has ended: credits and history have changed. */
  readonly onEnd: () => void;
};

export const createOutcome = ({ operations, fill, onEnd }: Wanted) => {
  const place = byId('outcome');
  let shown = new AbortController();
  let shownId: string | null = null;
  let leave = (): void => {};

  /** Of what is shown from now on; aborted when something else is. */
  const next = (): AbortSignal => {
    shown.abort();
    shown = new AbortController();
    return shown.signal;
  };

  const show = async (first: Job): Promise<void> => {
    const signal = next();
    // From a second job the browser's back button leads to the first.
    const isAnother = ![null, first.id].includes(namedJob());
    history[isAnother ? 'pushState' : 'replaceState'](null, '', `#${first.id}`);
    shownId = first.id;
    const view = progressView(() => cancel(first.id, signal));
    place.replaceChildren(view.element);
    place.scrollIntoView({ block: 'nearest' });
    leave();
    leave = keepInView(place.parentElement ?? place);
    const onRetry = () => view.online(false);
    try {
      // However long the service is away, the job goes on.
      for await (const job of service.watch(first, { signal, onRetry, retries: Infinity })) {
        view.online(true);
        if (isOver(job)) return await end(job, signal);
        view.show(job);
      }
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(problemBox(error));
    }
  };

  const cancel = async (id: string, signal: AbortSignal): Promise<void> => {
    const job = await service.jobs.cancel(id);
    if (isOver(job)) await end(job, signal);
  };

  const end = async (ended: Job, signal: AbortSignal): Promise<void> => {
    const [job, before] = await Promise.all([asItIs(ended), kept(ended.id)]);
    if (signal.aborted) return; // another job was opened meanwhile
    const gone = next();
    const again = before && button('Run again', () => fill(job.kind, before.body, before.files));
    const isGone = job.status === 'succeeded' && !job.result;
    announce(isGone ? goneText(ended) : (endings[job.status] ?? ''));
    const actions = [...(again ? [again] : []), ...sendOn(job)];
    place.replaceChildren(
      endOf({ job, original: before?.files[0] ?? null, gone }, actions, goneText(ended)),
    );
    onEnd();
  };

  /** "Use in Lip sync": the result becomes the input of another operation, by its link. */
  const sendOn = (job: Job): HTMLElement[] => {
    const chosen = resultAsInput(job);
    if (!chosen) return [];
    return operations
      .filter(({ kind, models }) => kind !== job.kind && models.length > 0)
      .map(({ kind, title }) =>
        button(`Use in ${title}`, () => {
          fill(kind, {}, [chosen]);
          byId('work').scrollIntoView();
        }),
      );
  };

  /** Finds the job that the address names. */
  const restore = async (): Promise<void> => {
    const id = namedJob();
    if (!id) return;
    shownId = id;
    const signal = next();
    try {
      const job = await service.jobs.get(id);
      if (!signal.aborted) await show(job);
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(problemBox(error));
    }
  };
  // The back button, or a link to another job in this tab. Back from the admin tab the job is still there.
  addEventListener('hashchange', () => {
    if (namedJob() !== shownId) void restore();
  });

  return { show, restore };
};

/**
 * Scrolls to the card when its growth moves its start out of the upper half of the window: a result is taller than the
 * progress before it, and grows as its pictures load. Ends at the first touch, click, turn of the wheel or key, so that it
 * never works against the reader. Returns what ends it before.
 */
const keepInView = (card: Element): (() => void) => {
  const growth = new ResizeObserver(() => {
    const { top, bottom } = card.getBoundingClientRect();
    const isSeen = top < innerHeight && bottom > 0;
    if (isSeen && (top < 0 || top > innerHeight / 2)) card.scrollIntoView();
  });
  growth.observe(card);
  const done = new AbortController();
  const leave = () => {
    growth.disconnect();
    done.abort();
  };
  for (const type of ['pointerdown', 'wheel', 'keydown'])
    addEventListener(type, leave, { signal: done.signal });
  return leave;
};

const namedJob = (): string | null => /^#(job_\w+)$/.exec(location.hash)?.[1] ?? null;

const resultAsInput = ({ model, result }: Job): Chosen | null => {
  if (!result) return null;
  const [kind, format] = result.content_type.split('/');
  return {
    name: `${model}-result.${format}`,
    kind: kind === 'video' ? 'video' : 'image',
    content: result.output_url,
  };
};

/** Why a job that has succeeded has nothing to show: the service names the result of one that was not deleted. */
const goneText = ({ result }: Job): string =>
  result
    ? 'This result has expired: it was kept for a limited time.'
    : 'The media of this job was deleted.';

const endings: Readonly<Record<string, string>> = {
  succeeded: 'The result is ready.',
  failed: 'The job has failed.',
  canceled: 'The job was cancelled.',
};

const endOf = (
  { job, ...shown }: Omit<Compared, 'result'>,
  actions: readonly HTMLElement[],
  gone: string,
): HTMLElement => {
  if (job.result) return resultView({ job, result: job.result, ...shown }, actions);
  const row = make('p', { class: 'row' }, ...actions);
  if (job.error) return make('div', {}, box(job.error), row);
  const text = job.status === 'canceled' ? 'The job was cancelled. Nothing was charged.' : gone;
  return make('div', {}, make('p', { class: 'notice' }, text), row);
};
