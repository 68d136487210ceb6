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

/** The answer, checked. Throws ProvenanceFault, also when the process was ended by one of its limits. */
export const askPython = async <T extends z.ZodType>(
  question: Question,
  answer: T,
  { path, limits }: Python,
  signal: AbortSignal,
): Promise<z.output<T>> => {
  const environment = { ...limits.environment, PYTHONPATH: inference };
  const command = [path, '-B', '-m', 'provenance'] as const;
  const child = startChild(command, { limits: { ...limits, environment }, signal });
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
