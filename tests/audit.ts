/**
 * Looks up published advisories for the packages that the service runs with: `npm audit` and pip-audit. Ends with 1 when
 * one names a package. Where the registry at hand answers no such questions, that is said, and is no failure;
 * with --must-check it is one.
 * usage: node --import tsx tests/audit.ts [--must-check]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { places, root } from '../src/stack/home.mjs';
import { isChecked, judgeNpm, judgePip, sayAudit } from './runner/audits.ts';

const printed = (command: string, words: readonly string[]): string => {
  const { stdout, stderr, error } = spawnSync(command, words, {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 64e6,
  });
  // Both end with 1 when they find something, and npm also when it was refused: what they print tells.
  if (error || stdout === '') throw new Error(`${command} printed nothing: ${error ?? stderr}`);
  return stdout;
};

const pip = (name: string) => {
  const file = join('inference', name);
  const words = [
    '--disable-pip',
    '--require-hashes',
    '--progress-spinner',
    'off',
    '--format',
    'json',
  ];
  return judgePip(
    `Python packages of ${name}`,
    printed(places.python, ['-m', 'pip_audit', ...words, '--requirement', file]),
  );
};

const audits = [
  judgeNpm(printed('npm', ['audit', '--omit=dev', '--json'])),
  pip('requirements.txt'),
  pip('requirements-provenance.txt'),
  pip('requirements-gpu.txt'),
];
for (const audit of audits) {
  console.log(`audit: ${sayAudit(audit)}`);
  for (const fault of audit.faults) console.log(`  ${fault}`);
}
const mustCheck = process.argv.includes('--must-check');
const failed = audits.some((audit) => audit.faults.length > 0 || (mustCheck && !isChecked(audit)));
process.exit(failed ? 1 : 0);
