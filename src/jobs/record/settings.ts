/** Records stay readable for a month after their job's end; the ledger stays for ever. */
export const RECORD_TTL_MS = 30 * 86_400_000;
