/** The parts that the files of one run share (tests/runner/parts.ts). */
import type { z } from 'zod';

/** Starting Triton and loading all models takes about 15 s on two idle cores. */
const withinMs = 180_000;

/** Resolves when the part is ready; null when this file was started without tests/run.ts. */
export const sharedPart = async <T>(path: string, answer: z.ZodType<T>): Promise<T | null> => {
  const { TEST_PARTS_URL: url } = process.env;
  if (!url) return null;
  const reply = await fetch(`${url}/${path}`, { signal: AbortSignal.timeout(withinMs) });
  const body = await reply.text();
  if (!reply.ok) throw new Error(`the run's shared part could not be started: ${body}`);
  return answer.parse(JSON.parse(body));
};
