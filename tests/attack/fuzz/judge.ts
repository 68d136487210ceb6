/** What is wrong with the answers to one attack, in words; nothing when the service held. */
import { Problem } from '../../../src/contract/failure.ts';
import { failures } from '../../../src/errors.ts';
import { root } from '../../../src/stack/home.mjs';
import { type Attack, isHead } from './attack.ts';
import type { Answer, Exchange } from './send.ts';

const mostFaults = 100;
const mostProblemBytes = 64 * 1024;

export type Rules = {
  /** Text that no answer may hold. */
  readonly secrets: readonly string[];
  /** Codes of refusals of 5xx that the run itself brings about. */
  readonly expected: readonly string[];
};

/** What belongs to this machine: where the code, the files and the parts of others lie. */
const places = [root, '/tmp/', 'node_modules', 'file://', '.ts:', '    at '];

export const faultsIn = (attack: Attack, exchange: Exchange, rules: Rules): string[] => [
  ...unanswered(attack, exchange),
  ...exchange.answers
    .filter((answer) => !isUnready(answer, rules))
    .flatMap((answer) => [
      ...ofStatus(answer, rules),
      ...ofProblem(attack, answer),
      ...leaks(attack, answer, rules),
    ]),
];

const unanswered = ({ ending }: Attack, { answers, end, cut, ms }: Exchange): string[] => {
  if (end === 'late') return [`no answer within ${Math.round(ms)} ms`];
  if (ending === 'hang up' || cut || answers.length > 0) return [];
  return ['the connection was closed without an answer'];
};

/** /readyz of a stack that was started without its models. */
const isUnready = ({ status, body }: Answer, { expected }: Rules): boolean =>
  status === 503 &&
  expected.includes('model_unavailable') &&
  (body.length === 0 || body.toString('latin1', 0, 14) === '{"ready":false');

const ofStatus = ({ status, body }: Answer, { expected }: Rules): string[] => {
  if (Number.isNaN(status)) return ['an answer that is no HTTP'];
  if (status < 500) return [];
  const code = problemIn(body)?.code ?? '';
  return expected.includes(code) ? [] : [`${status} ${shown(body)}`];
};

const ofProblem = (attack: Attack, { status, headers, body }: Answer): string[] => {
  const bare = ['x-request-id', 'api-version'].filter((name) => !headers[name]);
  const lacking = bare.map((name) => `the answer ${status} has no ${name}`);
  // A HEAD has no body, and of a range that is not there only the headers tell.
  if (status < 400 || isHead(attack) || status === 416) return lacking;
  const problem = problemIn(body);
  if (!problem) return [...lacking, `${status} is no problem+json: ${shown(body)}`];
  const { code, errors = [] } = problem;
  return [
    ...lacking,
    ...(headers['content-type']?.startsWith('application/problem+json')
      ? []
      : [`${status} is told as ${headers['content-type']}`]),
    ...(Object.hasOwn(failures, code) ? [] : [`the code ${code} is in no catalogue`]),
    ...(problem.status === status ? [] : [`${status} says of itself ${problem.status}`]),
    ...(errors.length <= mostFaults ? [] : [`${errors.length} faults are told`]),
    ...(body.length <= mostProblemBytes ? [] : [`a refusal of ${body.length} bytes`]),
  ];
};

const problemIn = (body: Buffer): Problem | undefined => {
  try {
    return Problem.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
};

/** What the caller sent may come back to it; what it cannot have known may not. */
const leaks = (attack: Attack, { headers, body }: Answer, { secrets }: Rules): string[] => {
  if (!/json|text/.test(headers['content-type'] ?? '')) return [];
  const told = JSON.stringify(headers) + body.toString();
  const asked = `${attack.path}${attack.raw ?? ''}${attack.headers.join()}`;
  return [
    ...secrets.filter((secret) => told.includes(secret)).map(() => 'a secret is told'),
    ...places
      .filter((text) => told.includes(text) && !asked.includes(text) && !attack.body.includes(text))
      .map((text) => `the answer holds ${text}: ${around(told, text)}`),
  ];
};

const around = (told: string, text: string): string =>
  told.slice(Math.max(0, told.indexOf(text) - 60), told.indexOf(text) + 100);
const shown = (body: Buffer): string => body.toString('latin1', 0, 300);
