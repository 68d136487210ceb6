/** The latest jobs of the key's account, to open again, run again and delete. */
import type { Job } from '../client/contract.ts';
import { EnhanceError } from '../client/errors.ts';
import { isOver } from '../client/follow.ts';
import type { Operation } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { button, byId, freshId, make } from './dom.ts';
import { isExpired } from './expired.ts';
import type { Body } from './options.ts';
import { forget, type Kept, kept } from './originals.ts';
import { problemBox } from './problem-box.ts';
import { service } from './service.ts';
import { creditsText, sizeText, timeText } from './words.ts';

type Wanted = {
  readonly operations: readonly Operation[];
  readonly open: (job: Job) => unknown;
  readonly fill: (kind: string, body: Body, files: readonly (Chosen | null)[]) => void;
  /** Called when a job is in another state than the list shows. */
  readonly onChange: () => Promise<unknown>;
};

const PAGE = 8;
const AGAIN_MS = 5_000;

export const createHistory = (wanted: Wanted) => {
  const place = byId('jobs');
  const list = make('ul', { class: 'jobs' });

  /** Counts the requests for the list: only the answer to the latest one is shown. */
  let asked = 0;

  const load = async (after?: string): Promise<void> => {
    asked += 1;
    const turn = asked;
    try {
      const from = after === undefined ? {} : { starting_after: after };
      const { data, has_more } = await service.jobs.list({ limit: PAGE, ...from });
      const rows = await Promise.all(data.map(async (job) => row(job, await kept(job.id))));
      if (turn !== asked) return;
      if (after === undefined) list.replaceChildren(...rows);
      else list.append(...rows);
      const last = data.at(-1);
      place.replaceChildren(
        list,
        ...(has_more && last ? [button('Show more', () => load(last.id))] : []),
      );
      byId('history').hidden = list.children.length === 0;
    } catch (error) {
      const again = button('Try again', () => load(after));
      if (turn === asked) place.replaceChildren(problemBox(error), again);
    }
  };

  const row = (job: Job, own: Kept | undefined): HTMLElement => {
    const element = rowOf(job, own);
    if (!isOver(job)) setTimeout(lookAgain, AGAIN_MS, job, element);
    return element;
  };

  /** The end of a job that is not the one shown above is seen here only. */
  const lookAgain = async (job: Job, element: HTMLElement): Promise<void> => {
    if (!element.isConnected) return;
    try {
      const now = await service.jobs.get(job.id);
      if (now.status !== job.status) {
        await wanted.onChange();
        return;
      }
    } catch (error) {
      // No such job, or another key. What may pass, such as `rate_limited`, is asked again.
      if (error instanceof EnhanceError && !error.retryable) return;
    }
    setTimeout(lookAgain, AGAIN_MS, job, element);
  };

  const rowOf = (job: Job, own: Kept | undefined): HTMLElement => {
    const [what, when] = [freshId('job'), freshId('job')];
    /** Read out as "Open Upscale · photo · 2× · a.png" and the time: each row has the same buttons. */
    const named = (press: HTMLElement): HTMLElement => {
      press.id = freshId('job');
      press.setAttribute('aria-labelledby', `${press.id} ${what} ${when}`);
      return press;
    };
    return make(
      'li',
      {},
      make(
        'span',
        { class: 'what', id: what },
        make('strong', {}, titleOf(job, wanted.operations)),
        own && ' · ',
        own && make('bdi', {}, own.files[0]?.name ?? ''),
      ),
      make(
        'span',
        { class: 'hint' },
        `${detailOf(job)} · `,
        make('span', { id: when }, timeText(job.created_at)),
      ),
      make(
        'span',
        { class: 'row' },
        named(button('Open', () => wanted.open(job))),
        own && named(button('Run again', () => wanted.fill(job.kind, own.body, own.files))),
        isOver(job) && job.result && !isExpired(job) && named(deleteButton(job)),
      ),
    );
  };

  /** Pressed twice, as nothing brings the media back. */
  const deleteButton = (job: Job): HTMLElement => {
    const press = button(
      'Delete',
      async () => {
        if (press.textContent === 'Delete') {
          press.textContent = 'Really delete?';
          press.focus(); // Safari does not do it by the click
          return;
        }
        try {
          const erased = await service.jobs.erase(job.id);
          await forget(job.id);
          if (location.hash === `#${job.id}`) await wanted.open(erased); // its result is shown
          await load();
          byId('history-title').focus(); // the button is gone
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

  return {
    load: () => load(),
    /** Leaves a list that was made longer, or that has the keyboard's focus, as it is. */
    loadIfUntouched: async (): Promise<void> => {
      if (list.children.length <= PAGE && !place.contains(document.activeElement)) await load();
    },
  };
};

const titleOf = ({ kind, model, options }: Job, operations: readonly Operation[]): string => {
  const { scale }: { scale?: number } = Object(options);
  const title = operations.find((operation) => operation.kind === kind)?.title ?? kind;
  return [title, model, ...(scale === undefined ? [] : [`${scale}×`])].join(' · ');
};

const detailOf = (job: Job): string => {
  const { status, cost, result, error } = job;
  return [
    status === 'succeeded' && result === null
      ? 'deleted'
      : isExpired(job)
        ? 'expired'
        : [states[status] ?? status, error && status === 'failed' && error.title]
            .filter(Boolean)
            .join(': '),
    result && sizeText(result.output_size),
    isOver(job) && creditsText(cost.charged), // until then it is not known
  ]
    .filter(Boolean)
    .join(' · ');
};

/** The contract's words, where the page has others. */
const states: Readonly<Record<string, string>> = { queued: 'waiting', canceled: 'cancelled' };
