/** The form that grants credits to an account, or withdraws them. */
import { NoAnswerError } from '../../client/errors.ts';
import { randomKey } from '../../client/random.ts';
import type { Balance } from '../../src/contract/credits.ts';
import { make } from '../dom.ts';
import { ask } from './ask.ts';
import { accountInput, field, form, input } from './inputs.ts';
import type { createSaid } from './section.ts';

export const grantForm = (
  said: ReturnType<typeof createSaid>,
  done: (balance: Balance) => Promise<void>,
) => {
  const [account, note] = [accountInput(), input({ type: 'text', maxlength: 200 })];
  const credits = input({
    type: 'number',
    min: -1_000_000_000,
    max: 1_000_000_000,
    step: 1,
    required: true,
  });
  const press = make('button', { type: 'submit', class: 'main' }, 'Grant the credits');
  /** Of a grant whose answer has not come: sent again it is the same grant. */
  let open: { readonly text: string; readonly key: string } | null = null;

  const send = () =>
    said.trying(async () => {
      const body = {
        account: account.value,
        credits: credits.valueAsNumber,
        note: note.value || undefined,
      };
      const text = JSON.stringify(body);
      open = open?.text === text ? open : { text, key: randomKey() };
      press.disabled = true;
      try {
        const headers = { 'idempotency-key': open.key };
        const balance = await ask<Balance>('/v1/admin/credits', { method: 'POST', body, headers });
        open = null;
        sent.reset();
        element.open = false;
        await done(balance);
      } catch (error) {
        if (!(error instanceof NoAnswerError)) open = null;
        throw error;
      } finally {
        press.disabled = false;
      }
    });

  const sent = form(
    send,
    field('Account', account),
    field(
      'Credits',
      credits,
      'A negative number withdraws credits, at most those that are available.',
    ),
    field('Note', note, 'For the ledger, such as the number of an invoice; it may stay empty.'),
    make('p', { class: 'row' }, press),
  );
  const element = make('details', {}, make('summary', {}, 'Grant credits'), sent);
  return {
    element,
    fill: (name: string): void => {
      element.open = true;
      account.value = name;
      credits.focus();
    },
  };
};
