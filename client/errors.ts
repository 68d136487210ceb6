import type { Problem } from './contract.ts';

/** A refusal, or the failure of a job, as the service told it (RFC 9457 problem). */
export class EnhanceError extends Error {
  override readonly name = 'EnhanceError';
  /** Stays the same, whatever `detail` says: `insufficient_credits`, `validation_failed` … */
  readonly code: string;
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly requestId: string;
  readonly problem: Problem;

  constructor(problem: Problem) {
    // The first of them is in `detail`.
    const [, ...others] = problem.errors ?? [];
    const faults = others.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`);
    super(`${problem.status} ${problem.code}: ${problem.detail}${faults.join('')}`);
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
    this.retryable = problem.retryable;
    this.requestId = problem.request_id;
  }
}

/** No answer came, or none that this service gives; `cause` has the reason. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor(url: string, cause: unknown) {
    super(`The service at ${url} does not answer (${reasonOf(cause)}).`, { cause });
  }
}

/** Node's fetch says "fetch failed", and why in its cause: by a code (ECONNREFUSED, ENOTFOUND …) or in words ("bad port"). */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  const [code, words] = ['code', 'message'].map((name) => Reflect.get(Object(cause), name));
  return String(code ?? words ?? message);
};

/** The error that an answer of the service at `url` stands for. */
export const errorOf = async (
  answer: Response,
  url = answer.url,
): Promise<EnhanceError | NoAnswerError> => {
  const text = await answer.text();
  try {
    const problem = JSON.parse(text);
    if (typeof problem?.code === 'string') return new EnhanceError(problem);
  } catch {
    // A proxy's page, for example.
  }
  return new NoAnswerError(url, new Error(`HTTP ${answer.status}: ${text.slice(0, 200)}`));
};
