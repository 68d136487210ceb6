import type { Config } from '../../config.ts';

/** Records stay readable for a month after their job's end; the ledger stays for ever. */
export const RECORD_TTL_MS = 30 * 86_400_000;

/** What ending a job needs to know, in the order of the scripts' last arguments. */
export const endArguments = ({ jobs }: Config): readonly number[] => [
  jobs.accountRunning,
  RECORD_TTL_MS,
];
