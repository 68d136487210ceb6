/** A job to its end: by its event stream, and by asking where that cannot be had. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Job } from './contract.ts';
import { errorOf } from './errors.ts';
import { isHidden, type Page, thisPage, when } from './page.ts';
import { pause } from './pause.ts';

export type Means<J extends Job> = {
  /** Asks for the job. */
  readonly get: () => Promise<J>;
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal | undefined;
  /** The one that this runs in, unless given. */
  readonly page?: Page | undefined;
};

/**
 * A stream's first event comes at once, then a comment every 15 s at least: one that is silent for longer is held back by a proxy.
 */
const usual = { firstWithinMs: 10_000, silentMs: 40_000, pollMs: 1_000, hiddenPollMs: 5_000 };
/** After so many streams that failed one after the other the job is only asked for. */
const mostFailed = 3;

export const isOver = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled';

/** The job as it stands, again with each change, and at last as it ended. Throws as `get` does, or the reason of `signal`. */
export async function* follow<J extends Job>(
  first: J,
  { page = thisPage(), ...means }: Means<J>,
  timing = usual,
): AsyncGenerator<J, void, void> {
  let job = first;
  let [failed, lastId] = [0, ''];
  yield job;
  while (!isOver(job)) {
    try {
      if (failed < mostFailed && !isHidden(page))
        for await (const { id, data } of eventsOf(job, lastId, { ...means, page }, timing)) {
          failed = 0;
          lastId = id ?? lastId;
          job = JSON.parse(data);
          yield job;
        }
    } catch {
      means.signal?.throwIfAborted();
      if (!isHidden(page)) failed += 1;
    }
    if (isOver(job)) return;
    // The service ends its streams when it shuts down; another one goes on. A proxy may end each after its first event.
    await rest(page, timing, means.signal);
    job = await means.get();
    yield job;
  }
}

/** Waits until the job is to be asked for: a hidden page longer than others, but at most until it is shown. */
const rest = async (
  page: Page | undefined,
  { pollMs, hiddenPollMs }: typeof usual,
  signal?: AbortSignal,
): Promise<void> => {
  if (!isHidden(page)) return pause(pollMs, signal);
  const shown = new AbortController();
  const unlisten = when('visible', page, () => shown.abort());
  try {
    await pause(hiddenPollMs, AbortSignal.any([shown.signal, ...(signal ? [signal] : [])]));
  } catch {
    signal?.throwIfAborted();
  } finally {
    unlisten();
  }
};

async function* eventsOf(
  { urls }: Job,
  lastId: string,
  { fetch, signal, page }: Omit<Means<Job>, 'get'>,
  { firstWithinMs, silentMs }: typeof usual,
) {
  const silence = new AbortController();
  const stop = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
  const quiet = (ms: number) => setTimeout(() => silence.abort(new Error('no event came')), ms);
  let timer = quiet(firstWithinMs);
  const unlisten = when('hidden', page, () => silence.abort(new Error('the page is hidden')));
  const decoder = new TextDecoder();
  const heard = new TransformStream<Uint8Array, string>({
    transform: (bytes, to) => {
      clearTimeout(timer);
      timer = quiet(silentMs);
      to.enqueue(decoder.decode(bytes, { stream: true }));
    },
  });
  try {
    const headers = lastId === '' ? {} : { 'last-event-id': lastId };
    const answer = await fetch(urls.events, { headers, signal: stop });
    if (answer.status !== 200 || !answer.body) throw await errorOf(answer);
    const events = answer.body
      .pipeThrough(heard, { signal: stop })
      .pipeThrough(new EventSourceParserStream());
    // Not `for await`: WebKit cannot iterate streams yet.
    const reader = events.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    clearTimeout(timer);
    unlisten();
    silence.abort();
  }
}
