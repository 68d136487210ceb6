/** The job that the page shows: its progress, and then its result or its error. Its id is in the address, so that a reload finds it. */
import type { Job } from '../src/contract/job.ts';
import { call, own } from './api.ts';
import type { Operation } from './catalogue.ts';
import { announce, button, byId, make } from './dom.ts';
import { follow, isOver } from './follow.ts';
import type { Body } from './operation-form.ts';
import { kept } from './originals.ts';
import { box, problemBox } from './problem-box.ts';
import { progressView } from './progress.ts';
import { resultView } from './result.ts';
import type { Chosen } from './source.ts';

type Wanted = {
  readonly operations: readonly Operation[];
  readonly fill: (kind: string, body: Body, files: readonly (Chosen | undefined)[]) => void;
  /** Called when a job has ended: credits and history have changed. */
  readonly onEnd: () => void;
};

export const createOutcome = ({ operations, fill, onEnd }: Wanted) => {
  const place = byId('outcome');
  let shown = new AbortController();

  const show = async (first: Job): Promise<void> => {
    shown.abort();
    shown = new AbortController();
    const { signal } = shown;
    history.replaceState(null, '', `#${first.id}`);
    const view = progressView(() => cancel(first.id));
    place.replaceChildren(view.element);
    place.scrollIntoView({ block: 'nearest' });
    try {
      await follow(first, {
        ...{ signal, onLine: view.online },
        onJob: (job) => (isOver(job) ? void end(job) : view.show(job)),
      });
    } catch (error) {
      place.replaceChildren(problemBox(error));
    }
  };

  const cancel = async (id: string): Promise<void> => {
    try {
      // With its own key, a call that the browser sends again does not count as another caller who leaves.
      const headers = { 'idempotency-key': `cancel-${id}` };
      const job = await call<Job>(`v1/jobs/${id}/cancel`, { method: 'POST', headers });
      if (isOver(job)) await end(job);
    } catch (error) {
      place.append(problemBox(error));
    }
  };

  const end = async (job: Job): Promise<void> => {
    shown.abort();
    const before = await kept(job.id);
    const again =
      before &&
      button('Run again', () =>
        fill(
          job.kind,
          before.body,
          before.files.map((file) => file ?? undefined),
        ),
      );
    announce(job.status === 'succeeded' ? 'The result is ready.' : `The job has ${job.status}.`);
    place.replaceChildren(
      endOf(job, before?.files[0] ?? null, [...(again ? [again] : []), ...sendOn(job)]),
    );
    onEnd();
  };

  /** "Use in Lipsync": the result becomes the input of another operation. */
  const sendOn = (job: Job): HTMLElement[] =>
    job.result === null
      ? []
      : operations
          .filter(({ kind, models }) => kind !== job.kind && models.length > 0)
          .map(({ kind, title }) =>
            button(`Use in ${title}`, async () => {
              const file = await (await fetch(own(job.result?.output_url ?? ''))).blob();
              fill(kind, {}, [
                { file, name: `${job.model}-result.${file.type.split('/')[1]}`, kind: undefined },
              ]);
              byId('work').scrollIntoView();
            }),
          );

  return {
    show,
    /** Finds the job that the address names. */
    restore: async (): Promise<void> => {
      const id = location.hash.slice(1);
      if (!/^job_\w+$/.test(id)) return;
      try {
        await show(await call<Job>(`v1/jobs/${id}`));
      } catch (error) {
        place.replaceChildren(problemBox(error));
      }
    },
  };
};

const endOf = (job: Job, original: Chosen | null, actions: readonly HTMLElement[]): HTMLElement => {
  if (job.result) return resultView(job, job.result, original, actions);
  const row = make('p', { class: 'row' }, ...actions);
  if (job.error) return make('div', {}, box(job.error), row);
  const text =
    job.status === 'canceled'
      ? 'The job was cancelled. Nothing was charged.'
      : 'The media of this job was deleted.';
  return make('div', {}, make('p', { class: 'notice' }, text), row);
};
