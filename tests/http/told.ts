import type { AxiosResponse } from 'axios';
import * as assert from 'uvu/assert';
import { Problem } from '../../src/contract/failure.ts';

/** Holds when the answer is a problem of this status and code, told in full; answers it. */
export const refused = (answer: AxiosResponse, status: number, code: string): Problem => {
  const { data, headers } = answer;
  assert.is(`${answer.status} ${data?.code}`, `${status} ${code}`, JSON.stringify(data));
  assert.is(headers['content-type'], 'application/problem+json');
  const problem = Problem.parse(data);
  assert.is(problem.status, status);
  assert.is(problem.type, `/problems/${code}`);
  assert.is(problem.charged, 0);
  assert.is(problem.request_id, headers['x-request-id']);
  return problem;
};

/** The pointers of the faults of a problem. */
export const pointers = ({ errors = [] }: Problem): string[] =>
  errors.map(({ pointer }) => pointer);
