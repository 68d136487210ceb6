/** The whole form: an operation, its own form, and the start. */
import type { Estimate, Job } from '../client/contract.ts';
import { EnhanceError, NoAnswerError } from '../client/errors.ts';
import { randomKey } from '../client/random.ts';
import type { Operation } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { codeButton } from './code.ts';
import { button, make } from './dom.ts';
import { type Draft, dropDraft, keepDraft } from './draft.ts';
import { kindOf } from './file-kind.ts';
import { type OperationForm, operationForm } from './operation-form.ts';
import { operationSwitch } from './operation-switch.ts';
import type { Body } from './options.ts';
import { takePasted } from './paste.ts';
import { adviceFor, plainBox, problemBox } from './problem-box.ts';
import { ask } from './service.ts';
import type { Source } from './source.ts';
import { whileNamed } from './upload.ts';
import { creditsText, TRYING_AGAIN } from './words.ts';

export type Started = {
  readonly job: Job;
  readonly body: Body;
  readonly files: readonly (Chosen | null)[];
};

export const createForm = (
  operations: readonly Operation[],
  onStart: (started: Started) => void,
) => {
  const fault = make('div');
  /** That there are too few credits: said before the start, and then by the refusal in its place. */
  const short = make('div');
  let current: OperationForm | undefined;
  const start = button('Start', () => submit(), { class: 'main', disabled: true });
  const isReady = (estimate: Estimate | null): void => {
    start.disabled = estimate === null;
    start.textContent = estimate ? startText(estimate) : 'Start';
    short.replaceChildren(...(estimate ? shortOf(estimate) : []));
    if (!estimate) fault.replaceChildren(); // it was about another request
  };
  const forms = operations.map((operation) => {
    // Answers come for the others too: a price that was asked for before, a file that is sent again for another key.
    const isShown = () => operation === current?.operation;
    return operationForm(operation, {
      onPrice: (estimate) => isShown() && isReady(estimate),
      onChange: () => isShown() && changed(),
    });
  });
  const place = make('div');
  const entered = (): Draft => ({
    kind: current?.operation.kind ?? '',
    body: current?.chosen() ?? {},
    files: current?.files() ?? [],
  });
  /** Of a start whose answer has not come: sent again it is the same start. */
  let open: { readonly text: string; readonly key: string } | null = null;

  const submit = async (): Promise<void> => {
    const body = current?.body();
    if (!current || !body || start.getAttribute('aria-busy') === 'true') return;
    const { operation } = current;
    const files = current.files(); // as they are now: they may be others when the answer comes
    start.setAttribute('aria-busy', 'true');
    fault.replaceChildren();
    const text = `${operation.path} ${JSON.stringify(body)}`;
    open = open?.text === text ? open : { text, key: randomKey() };
    try {
      const headers = { prefer: 'respond-async', 'idempotency-key': open.key };
      const onRetry = () => fault.replaceChildren(make('p', { class: 'hint' }, TRYING_AGAIN));
      const job = await whileNamed(() =>
        ask<Job>(operation.path, { method: 'POST', body, headers, onRetry }),
      );
      open = null;
      fault.replaceChildren();
      void dropDraft();
      onStart({ job, body, files });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) open = null;
      (isShort(error) ? short : fault).replaceChildren(problemBox(error));
    } finally {
      start.removeAttribute('aria-busy');
    }
  };

  const switcher = operationSwitch(
    forms.map(({ operation }) => operation),
    (at) => {
      const left = current;
      show(at);
      nameOperation(operations[at]?.kind ?? '');
      if (current) left?.moveFiles(current);
    },
  );
  const show = (at: number): void => {
    current = forms[at];
    switcher.set(at);
    isReady(null);
    place.replaceChildren(...(current ? [current.element] : []));
    current?.update();
    code.update();
  };

  /** Each goes to a place of its kind, to a free one before another; of more files than places the first are taken. */
  const take = (files: readonly File[]): void => {
    const filled = new Set<Source>();
    const left: string[] = [];
    for (const file of files) {
      const kind = kindOf(file, file.name);
      const fitting = current?.sources.filter((source) => source.takes(kind)) ?? [];
      const unfilled = fitting.filter((source) => !filled.has(source));
      const free = unfilled.find((source) => !source.chosen());
      const place = free ?? unfilled[0] ?? (fitting.length === 0 ? current?.sources[0] : undefined);
      if (place && !filled.has(place)) {
        place.take(file, file.name);
        filled.add(place);
      } else left.push(file.name);
    }
    if (left.length > 0) [...filled][0]?.leave(left);
  };
  const code = codeButton(
    () => current && { operation: current.operation, body: current.body(), files: current.files() },
  );
  const changed = (): void => {
    current?.update();
    void keepDraft(entered());
    code.update();
  };
  takePasted(take);
  show(positionOf(operations, namedOperation()));

  return {
    element: make(
      'div',
      {},
      switcher.element,
      ...[place, short, fault],
      make('p', { class: 'row' }, start, code.button),
      code.element,
    ),
    /** Asks for the price again, quietly. */
    askAgain: () => current?.askAgain(),
    /** Puts an earlier request in, or a file for an operation. */
    fill: (kind: string, body: Body, files: readonly (Chosen | null)[]): void => {
      show(positionOf(operations, kind));
      nameOperation(kind);
      current?.fill(body, files);
    },
  };
};

/** Of the first, where there is none of this kind. */
const positionOf = (operations: readonly Operation[], kind: string | null): number =>
  Math.max(
    0,
    operations.findIndex((operation) => operation.kind === kind),
  );

/** The operation is in the address, so that a reload shows the same one. */
const namedOperation = (): string | null => new URLSearchParams(location.search).get('operation');
const nameOperation = (kind: string): void =>
  history.replaceState(null, '', `?operation=${kind}${location.hash}`);

const startText = ({ credits, cached }: Estimate): string =>
  cached ? 'Start for free' : `Start for ${creditsText(credits)}`;

const isShort = (error: unknown): boolean =>
  error instanceof EnhanceError && error.code === 'insufficient_credits';

const shortOf = ({ credits, available_credits, cached }: Estimate): HTMLElement[] =>
  !cached && credits > available_credits
    ? [
        plainBox(
          'Not enough credits',
          `This costs ${creditsText(credits)}; the account has ${creditsText(available_credits)}. ${adviceFor('insufficient_credits')}`,
        ),
      ]
    : [];
