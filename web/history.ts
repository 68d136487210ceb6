/** The latest jobs of the key, to open again, run again and delete. */
import type { Job } from '../client/contract.ts';
import { isOver } from '../client/follow.ts';
import type { Operation } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { button, byId, make } from './dom.ts';
import type { Body } from './options.ts';
import { forget, type Kept, kept } from './originals.ts';
import { problemBox } from './problem-box.ts';
import { service } from './service.ts';
import { creditsText, sizeText } from './words.ts';

type Wanted = {
  readonly operations: readonly Operation[];
  readonly open: (job: Job) => unknown;
  readonly fill: (kind: string, body: Body, files: readonly (Chosen | null)[]) => void;
};

const PAGE = 8;

export const createHistory = (wanted: Wanted) => {
  const place = byId('jobs');
  const list = make('ul', { class: 'jobs' });

  const load = async (after?: string): Promise<void> => {
    try {
      const from = after === undefined ? {} : { starting_after: after };
      const { data, has_more } = await service.jobs.list({ limit: PAGE, ...from });
      const rows = await Promise.all(data.map(async (job) => row(job, await kept(job.id))));
      if (after === undefined) list.replaceChildren(...rows);
      else list.append(...rows);
      const last = data.at(-1);
      place.replaceChildren(
        list,
        ...(has_more && last ? [button('Show more', () => load(last.id))] : []),
      );
      byId('history').hidden = list.children.length === 0;
    } catch (error) {
      place.replaceChildren(problemBox(error));
    }
  };

  const row = (job: Job, own: Kept | undefined): HTMLElement =>
    make(
      'li',
      {},
      make(
        'span',
        { class: 'what' },
        make('strong', {}, titleOf(job, wanted.operations)),
        own && ' · ',
        own && make('bdi', {}, own.files[0]?.name ?? ''),
      ),
      make('span', { class: 'hint' }, detailOf(job)),
      make(
        'span',
        { class: 'row' },
        button('Open', () => wanted.open(job), { 'aria-label': `Open ${job.id}` }),
        own &&
          button('Run again', () => wanted.fill(job.kind, own.body, own.files), {
            'aria-label': `Run again ${job.id}`,
          }),
        isOver(job) && job.result && deleteButton(job),
      ),
    );

  /** Pressed twice, as nothing brings the media back. */
  const deleteButton = (job: Job): HTMLElement => {
    const press = button(
      'Delete',
      async () => {
        if (press.textContent === 'Delete') {
          press.textContent = 'Really delete?';
          return;
        }
        try {
          await service.jobs.erase(job.id);
          await forget(job.id);
          await load();
        } catch (error) {
          place.append(problemBox(error));
        }
      },
      {
        class: 'quiet',
        blur: () => {
          press.textContent = 'Delete';
        },
      },
    );
    return press;
  };

  return { load: () => load() };
};

const titleOf = ({ kind, model, options }: Job, operations: readonly Operation[]): string => {
  const { scale }: { scale?: number } = Object(options);
  const title = operations.find((operation) => operation.kind === kind)?.title ?? kind;
  return [title, model, ...(scale === undefined ? [] : [`${scale}×`])].join(' · ');
};

const detailOf = ({ status, created_at, cost, result }: Job): string =>
  [
    status === 'succeeded' && result === null ? 'deleted' : status,
    result && sizeText(result.output_size),
    creditsText(cost.charged),
    new Date(created_at).toLocaleString(),
  ]
    .filter(Boolean)
    .join(' · ');
