/** What waits and runs, with the way to Bull Board. Asked for again every few seconds while it is shown. */
import type { BoardSession, QueueState } from '../../src/contract/queue.ts';
import { make } from '../dom.ts';
import { timeText } from '../words.ts';
import { ask } from './ask.ts';
import { card, createSaid, list, row, type Section } from './section.ts';

const EVERY_MS = 5_000;

export const queueSection = (): Section => {
  const said = createSaid();
  const place = make('div');
  let timer: ReturnType<typeof setTimeout> | undefined;

  let isShown = false;

  const leave = (): void => {
    isShown = false;
    clearTimeout(timer);
  };
  const load = async (): Promise<void> => {
    isShown = true;
    await said.trying(async () => place.replaceChildren(...shown(await ask('/v1/admin/queue'))));
    clearTimeout(timer);
    if (isShown) timer = setTimeout(load, EVERY_MS);
  };

  /** A link sends no key, so this browser gets a session first. */
  const board = make(
    'a',
    {
      href: 'board',
      class: 'button',
      click: (event) => {
        event.preventDefault();
        void said.trying(async () => {
          await ask<BoardSession>('/v1/admin/board', { method: 'POST' });
          location.assign('board');
        });
      },
    },
    'Open Bull Board',
  );
  const element = make(
    'div',
    {},
    card('Queue', said.element, place, make('p', { class: 'row' }, board)),
  );
  return { title: 'Queue', element, load, leave };
};

const shown = ({ jobs, queues, tritons }: QueueState): HTMLElement[] => [
  make('h3', {}, 'Jobs of all accounts'),
  make(
    'dl',
    { class: 'figures' },
    ...Object.entries({
      waiting: jobs.queued,
      running: jobs.processing,
      succeeded: jobs.succeeded,
      failed: jobs.failed,
      cancelled: jobs.canceled,
      'workers lost': jobs.workers_lost,
    }).map(([name, count]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, count.toLocaleString('en'))),
    ),
  ),
  make(
    'p',
    { class: 'hint' },
    jobs.oldest_queued_at === null
      ? 'No job is waiting.'
      : `The oldest job has been waiting since ${timeText(jobs.oldest_queued_at)}.`,
  ),
  make(
    'p',
    { class: 'hint' },
    'A job counts as failed whatever the cause: most often a file that cannot be used. Models counts the attempts that failed by the fault of a model.',
  ),
  make('h3', {}, 'Queues'),
  list(queues.map(queueRow), 'There is none.'),
  make('h3', {}, 'Triton servers'),
  list(
    tritons.map(({ name, healthy }) =>
      row(
        [make('strong', {}, name)],
        [healthy ? 'in use' : 'not in use: it failed, or does not answer'],
      ),
    ),
    'There is none.',
  ),
];

const queueRow = ({
  name,
  paused,
  workers,
  ...counts
}: QueueState['queues'][number]): HTMLElement =>
  row(
    [
      make('strong', {}, name),
      paused ? make('span', { class: 'tag' }, ' · paused') : null,
      workers === 0 ? make('span', { class: 'tag' }, ' · no worker takes from it') : null,
    ],
    [
      ...(['waiting', 'active', 'delayed', 'failed'] as const).map(
        (one) => `${counts[one]} ${one}`,
      ),
      workers !== null && workers > 0 && `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    ],
  );
