/** The preferences of RFC 7240 that are about waiting: `respond-async` and `wait`. Pure. */

export type Wait = {
  /** How long, at most, the answer waits for the job's end. */
  readonly ms: number;
  /** The value of `Preference-Applied`; empty when no preference was applied. */
  readonly applied: string;
  /** Answer with the job even if it has ended: the caller prefers `respond-async` alone. */
  readonly asJob: boolean;
};

/** Unknown and malformed preferences are ignored, as the RFC demands; of a repeated one the first value counts. */
export const waitOf = (prefer: string, limitMs: number): Wait => {
  const preferences = new Map<string, string>();
  for (const entry of prefer.split(',')) {
    const [name = '', value = ''] = (entry.split(';')[0] ?? '').split('=');
    const key = name.trim().toLowerCase();
    if (!preferences.has(key)) preferences.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  const isAsync = preferences.has('respond-async');
  const wait = preferences.get('wait') ?? '';
  if (!/^\d{1,9}$/.test(wait)) {
    return isAsync
      ? { ms: 0, applied: 'respond-async', asJob: true }
      : { ms: limitMs, applied: '', asJob: false };
  }
  const ms = Math.min(Number(wait) * 1000, limitMs);
  const applied = `${isAsync ? 'respond-async, ' : ''}wait=${Math.floor(ms / 1000)}`;
  return { ms, applied, asJob: false };
};
