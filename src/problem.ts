import type { Problem } from './contract/failure.ts';
import type { Failure } from './errors.ts';

/** Facts that have a member of their own in the answer; all others are only in `detail`, or in the log. */
const shownFacts = ['required_credits', 'available_credits'];

/** A Failure as problem+json (RFC 9457), for an HTTP answer and for the `error` of a job. */
export const problemOf = (
  failure: Failure,
  where: { readonly instance: string; readonly requestId: string },
): Problem => ({
  type: `/problems/${failure.code}`,
  title: titleOf(failure.code),
  status: failure.status,
  detail: failure.message,
  instance: where.instance,
  code: failure.code,
  request_id: where.requestId,
  retryable: failure.retryable,
  charged: 0,
  ...Object.fromEntries(
    Object.entries(failure.facts).filter(([name]) => shownFacts.includes(name)),
  ),
  ...(failure.faults.length > 0 && { errors: failure.faults.map(faultOf) }),
});

const titleOf = (code: string): string => {
  const words = code
    .split('_')
    .map((word) => (acronyms.includes(word) ? word.toUpperCase() : word));
  const title = words.join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
};

const acronyms = ['api', 'http', 'id', 'json', 'url'];

const faultOf = ({ pointer, code, detail, allowed }: Failure['faults'][number]) => ({
  pointer,
  code,
  detail,
  ...(allowed && { allowed: [...allowed] }),
});
