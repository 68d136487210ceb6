/** Asks `inference/provenance`, the Python that signs and reads content credentials: one process for each question. */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startChild } from '../media/child.ts';
import type { ChildLimits } from '../media/child-exit.ts';

export type Python = {
  /** The program, with the packages of inference/requirements-provenance.txt. */
  readonly path: string;
  readonly limits: ChildLimits;
};

/** What the operator or the caller can help, as a sentence without its full stop. */
export class ProvenanceFault extends Error {
  override readonly name = 'ProvenanceFault';
}

type Question = Readonly<Record<string, unknown>> & {
  readonly ask: 'certificate' | 'check' | 'sign' | 'read';
};

const inference = fileURLToPath(new URL('../../inference', import.meta.url));
const Fault = z.strictObject({ fault: z.string() });

/** A process that waits for its question. */
export type Waiting = {
  /** The answer, checked. Throws ProvenanceFault, also when the process was ended by one of its limits. */
  ask<T extends z.ZodType>(question: Question, answer: T): Promise<z.output<T>>;
  /** Ends it, whether it was asked or not. */
  stop(): Promise<void>;
};

/** Starts one before there is a question, as Python and its packages take 0.1 s to load. */
export const startPython = ({ path, limits }: Python, signal: AbortSignal): Waiting => {
  const environment = { ...limits.environment, PYTHONPATH: inference };
  const command = [path, '-B', '-m', 'provenance'] as const;
  const child = startChild(command, { limits: { ...limits, environment }, signal });
  const ask: Waiting['ask'] = async (question, answer) => {
    // The private key goes this way: other processes can see arguments, and files stay.
    child.stdin.end(JSON.stringify(question));
    const [said, exit] = await Promise.all([text(child.stdout), child.ended()]);
    signal.throwIfAborted();
    if (exit.exitCode !== 0)
      throw new ProvenanceFault(exit.errorText || `Python ended with ${exit.exitCode}`);
    const told = z.union([Fault, answer]).parse(JSON.parse(said));
    const fault = Fault.safeParse(told);
    if (fault.success) throw new ProvenanceFault(fault.data.fault);
    return answer.parse(told);
  };
  return { ask, stop: child.stop };
};

/** One question to a process of its own. */
export const askPython = <T extends z.ZodType>(
  question: Question,
  answer: T,
  python: Python,
  signal: AbortSignal,
): Promise<z.output<T>> => startPython(python, signal).ask(question, answer);
