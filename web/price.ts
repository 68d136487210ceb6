/** What the request would cost, asked from the service whenever the form changed. */
import type { Estimate } from '../client/contract.ts';
import { EnhanceError } from '../client/errors.ts';
import { onCredits, tellCredits } from './credits.ts';
import { announce, button, make } from './dom.ts';
import type { Body } from './options.ts';
import { problemBox } from './problem-box.ts';
import { ask } from './service.ts';
import {
  ANOTHER_FILE,
  creditsText,
  durationText,
  inFormWords,
  sizeText,
  TRYING_AGAIN,
} from './words.ts';

/** While a slider moves, the price is not asked for. */
const QUIET_MS = 250;

type Wanted = {
  readonly onPrice: (estimate: Estimate | null) => void;
  /** Shows a refusal where the file is that it speaks of, and answers whether there is one. */
  readonly refuse: (error: EnhanceError) => boolean;
};

export const createPrice = ({ onPrice, refuse }: Wanted) => {
  const element = make('div', { class: 'price' });
  const left = make('span');
  let shown: Estimate | null = null;
  let asked: { readonly path: string; readonly body: Body } | null = null;
  let asking = new AbortController();
  let timer = 0;

  const askPrice = async (path: string, body: Body): Promise<void> => {
    const { signal } = asking;
    try {
      const estimate = await ask<Estimate>(`${path}/estimate`, {
        method: 'POST',
        body,
        signal,
        safe: true,
        onRetry: () => element.replaceChildren(make('p', { class: 'hint' }, TRYING_AGAIN)),
      });
      if (signal.aborted) return;
      element.replaceChildren(priceOf(estimate, left));
      // Asked again after a job, it would take the place of "The result is ready." before that is read out.
      if (!shown) announce(`Price: ${estimate.cached ? 'free' : creditsText(estimate.credits)}.`);
      show(estimate);
      tellCredits(estimate.available_credits);
    } catch (error) {
      if (!signal.aborted) tell(error, () => update(path, body, ''));
    }
  };

  /** What was refused for good would be refused again: another file or another choice asks anew by itself. */
  const tell = (error: unknown, again: () => void): void => {
    const isFinal = error instanceof EnhanceError && !error.retryable;
    if (isFinal && refuse(error))
      element.replaceChildren(make('p', { class: 'hint' }, ANOTHER_FILE));
    else
      element.replaceChildren(problemBox(error), ...(isFinal ? [] : [button('Ask again', again)]));
  };

  const show = (estimate: Estimate): void => {
    shown = estimate;
    left.textContent = `; you have ${creditsText(estimate.available_credits)}`;
    onPrice(estimate);
  };
  // A job that was started, ended or cancelled changes them.
  onCredits((available) => {
    if (shown && available !== null && available !== shown.available_credits)
      show({ ...shown, available_credits: available });
  });

  /** `body` null: something is missing, which `text` says. */
  const update = (path: string, body: Body | null, text: string): void => {
    asking.abort();
    asking = new AbortController();
    clearTimeout(timer);
    shown = null;
    asked = body && { path, body };
    onPrice(null);
    element.replaceChildren(make('p', { class: 'hint' }, body ? 'Asking for the price …' : text));
    if (body) timer = setTimeout(askPrice, QUIET_MS, path, body);
  };
  /** A job that has ended may have made the same request free. */
  const again = (): void => {
    if (shown && asked) void askPrice(asked.path, asked.body);
  };
  return { element, update, again };
};

/** `left`: what the account has, which changes while the price stays. */
const priceOf = (
  { credits, lines, input_size, output_size, duration_seconds, warnings = [], cached }: Estimate,
  left: HTMLElement,
): HTMLElement =>
  make(
    'div',
    {},
    make('p', { class: 'total' }, make('strong', {}, cached ? 'Free' : creditsText(credits)), left),
    cached &&
      make('p', { class: 'notice' }, 'You asked for the same recently: its result is still there.'),
    make('p', { class: 'hint' }, sizesText(input_size, output_size, duration_seconds)),
    make(
      'details',
      {},
      make('summary', {}, 'How the price is calculated'),
      make(
        'ul',
        {},
        ...lines.map(({ text, credits }) =>
          make('li', {}, `${text}: ${Number(credits.toFixed(3))}`),
        ),
      ),
    ),
    ...warnings.map(({ detail }) => make('p', { class: 'notice' }, inFormWords(detail))),
  );

const sizesText = (input: string, output: string, seconds: number | undefined): string => {
  const sizes =
    input === output ? sizeText(input) : `${sizeText(input)} becomes ${sizeText(output)}`;
  return seconds === undefined ? `${sizes}.` : `${sizes}, ${durationText(seconds)}.`;
};
