import type { Problem } from './contract/failure.ts';
import type { Failure } from './errors.ts';

/** Facts that callers act upon; all others are only in the sentence, or in the log. */
const told = ['required_credits', 'available_credits'];

/** How a Failure is told, as an HTTP answer and as the `error` of a job alike. */
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
  ...Object.fromEntries(Object.entries(failure.facts).filter(([name]) => told.includes(name))),
  ...(failure.faults.length > 0 && { errors: failure.faults.map(copied) }),
});

const titleOf = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const copied = ({ pointer, code, detail, allowed }: Failure['faults'][number]) => ({
  pointer,
  code,
  detail,
  ...(allowed && { allowed: [...allowed] }),
});
