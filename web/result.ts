/** A finished job: the result beside the original, its download, and what is to know of it. */
import type { ResultOf } from '../client/client.ts';
import type { Job } from '../client/contract.ts';
import { type Compared, comparison } from './comparison.ts';
import { make } from './dom.ts';
import { provenanceView } from './provenance.ts';
import { own } from './service.ts';
import {
  bytesText,
  creditsText,
  durationText,
  inFormWords,
  labelOf,
  sizeText,
  timeText,
} from './words.ts';

export const resultView = (compared: Compared, actions: readonly HTMLElement[]): HTMLElement => {
  const { job, result, original } = compared;
  return make(
    'div',
    { class: 'result' },
    comparison(compared),
    original === null &&
      make(
        'p',
        { class: 'hint' },
        'This browser does not have the original, so the result is shown alone.',
      ),
    make('p', { class: 'row' }, downloadLink(result, original?.name), ...actions),
    ...result.warnings.map(({ detail }) => make('p', { class: 'notice' }, inFormWords(detail))),
    facts(job, result),
    provenanceView(result.provenance),
  );
};

/** `source`: the name of the file that the result was made of; the result is called after it. */
const downloadLink = ({ output_url, bytes }: ResultOf<Job>, source?: string): HTMLElement => {
  const name = source?.replace(/\.\w+$/, '').slice(0, 100);
  return make(
    'a',
    {
      class: 'button main',
      href: own(output_url) + (name ? `&${new URLSearchParams({ name })}` : ''),
      download: true,
    },
    `Download (${bytesText(bytes)})`,
  );
};

const facts = (job: Job, result: ResultOf<Job>): HTMLElement => {
  const known: [string, string][] = [
    ['Size', `${sizeText(result.input_size)} → ${sizeText(result.output_size)}`],
    ['Model', `${result.model_used} (${result.model_version})`],
    [
      'Charged',
      result.cached
        ? `${creditsText(result.credits_used)}, as the same result was there already`
        : creditsText(result.credits_used),
    ],
    ['Time', durationText(result.processing_ms / 1000)],
    ['Kept until', timeText(result.expires_at)],
  ];
  const more = Object.entries(result).filter(
    ([name, value]) => typeof value === 'number' && !shownAbove.includes(name),
  );
  return make(
    'details',
    { class: 'facts' },
    make(
      'summary',
      {},
      `${labelOf(job.model)}, ${sizeText(result.output_size)}, ${creditsText(result.credits_used)}`,
    ),
    make(
      'dl',
      {},
      ...[
        ...known,
        ...more.map(([name, value]): [string, string] => [labelOf(name), String(value)]),
        ...Object.entries(job.metadata),
      ].flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
    ),
    make('p', { class: 'hint' }, make('code', {}, job.id)),
  );
};

const shownAbove = ['bytes', 'credits_used', 'processing_ms'];
