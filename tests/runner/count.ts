/** What a test file really did, from what it printed and how it ended: closed against the ways in which uvu passes falsely. */

export type Count = { readonly passed: number; readonly failed: number; readonly skipped: number };
export type Verdict = Count & { readonly faults: readonly string[] };

export const none: Count = { passed: 0, failed: 0, skipped: 0 };

export const sum = (counts: readonly Count[]): Count => ({
  passed: counts.reduce((total, { passed }) => total + passed, 0),
  failed: counts.reduce((total, { failed }) => total + failed, 0),
  skipped: counts.reduce((total, { skipped }) => total + skipped, 0),
});

const summary = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm;
const excused = /^# skipped for want of /gm;

/**
 * uvu exits with 0 when a `before` hook throws, when `after.each` throws after a failed test, and when `.run()`
 * was forgotten. All three show: fewer tests passed than there are, or nothing was counted.
 */
export const judge = (source: string, printed: string, ending: string): Verdict => {
  const found = [...printed.matchAll(summary)];
  const [total = 0, passed = 0, skipped = 0] = (found[0]?.slice(1) ?? []).map(Number);
  const failed = total - passed;
  const faults: string[] = [];
  if (found.length === 0)
    faults.push('no test was counted: a suite without .run(), or it ended too early');
  if (found.length > 1) faults.push('more than one summary was printed');
  if (found.length === 1 && total + skipped === 0) faults.push('it holds no test');
  if (failed > 0 && ending === 'exit code 0')
    faults.push(`uvu says all is well, but ${failed} of ${total} tests did not pass: a hook threw`);
  if (failed === 0 && ending !== 'exit code 0') faults.push(`it ended with ${ending}`);
  if (skipped !== (printed.match(excused)?.length ?? 0))
    faults.push('a test was skipped without an excuse (.skip or .only)');
  if (forgotten(source)) faults.push('a suite without .run()');
  return { passed, failed: failed + (failed === 0 && faults.length ? 1 : 0), skipped, faults };
};

/** Whether the source makes more suites than it runs. */
const forgotten = (source: string): boolean => {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  const made = (code.match(/[^.\w]suite\(/g) ?? []).length;
  const bare = /import\s*\{[^}]*\btest\b[^}]*\}\s*from\s*'uvu'/.test(code) ? 1 : 0;
  return (code.match(/\.run\(\)/g) ?? []).length < made + bare;
};
