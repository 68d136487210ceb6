/** An error as the user sees it: what was expected, what came, and what to do next. */
import type { Problem } from '../client/contract.ts';
import { EnhanceError, NoAnswerError } from '../client/errors.ts';
import { make } from './dom.ts';
import { inFormWords, labelOf, messageOf } from './words.ts';

export const problemBox = (error: unknown): HTMLElement => {
  if (error instanceof EnhanceError) return box(error.problem);
  const message = messageOf(error);
  if (error instanceof NoAnswerError)
    return plainBox('No connection', `${message} Check the network and try again.`);
  return plainBox('This did not work', message);
};

/** For the `error` of a failed job, which is the same object. */
export const box = ({
  title,
  detail,
  errors = [],
  code,
  charged,
  request_id,
}: Problem): HTMLElement =>
  make(
    'div',
    { class: 'notice bad', role: 'alert', 'data-code': code },
    make('strong', {}, title),
    make('p', {}, inFormWords(detail)),
    // The first of them is in `detail`.
    errors.length > 1 &&
      make(
        'ul',
        {},
        ...errors
          .slice(1)
          .map(({ pointer, detail }) =>
            make('li', {}, `${placeOf(pointer)}: ${inFormWords(detail)}`),
          ),
      ),
    make(
      'p',
      { class: 'hint' },
      `${adviceFor(code)} Charged: ${charged}. Request ${request_id}.`.trim(),
    ),
  );

/** "Options › Expressiveness" */
const placeOf = (pointer: string): string =>
  pointer.slice(1).split('/').map(labelOf).join(' › ') || 'Request';

export const plainBox = (title: string, text: string): HTMLElement =>
  make(
    'div',
    { class: 'notice bad', role: 'alert' },
    make('strong', {}, title),
    make('p', {}, text),
  );

/** What the user of the page can do, where `detail` speaks to programs; empty where nothing is to be added. */
export const adviceFor = (code: string): string => advice[code] ?? '';

const advice: Readonly<Record<string, string>> = {
  insufficient_credits:
    'Ask the operator of this server for more credits, or make it cost less: a cheaper model, a shorter clip or recording, a smaller scale where there is one.',
  model_unavailable: 'The model is being loaded. Try again in a minute.',
  no_face_detected: 'Choose a picture or clip in which a face looks at the camera.',
  speaker_not_found: 'Click on the face that should speak, or let the service find it.',
  upload_not_found: 'Remove the file and add it again: uploads are deleted after a day.',
  upload_quota_exceeded: 'Earlier uploads are deleted after a day.',
};
