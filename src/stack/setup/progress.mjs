/** Runs the commands of the set-up: one line per step on the terminal, their output in a log file. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { places } from '../home.mjs';
import { SetupError } from './setup-error.mjs';

const tty = process.stderr.isTTY;

/**
 * Shows `title` and the seconds that `work` takes.
 * @template T @param {string} title @param {() => Promise<T>} work @returns {Promise<T>}
 */
export const step = async (title, work) => {
  const from = Date.now();
  const seconds = () => `${((Date.now() - from) / 1000).toFixed(0)} s`;
  const show = tty
    ? setInterval(() => process.stderr.write(`\r  ${title} … ${seconds()} `), 500)
    : undefined;
  if (!tty) process.stderr.write(`  ${title} …\n`);
  try {
    const result = await work();
    process.stderr.write(`${tty ? '\r' : ''}  ${title}: done in ${seconds()}\n`);
    return result;
  } catch (error) {
    process.stderr.write(`${tty ? '\r' : ''}  ${title}: failed after ${seconds()}\n`);
    throw error;
  } finally {
    clearInterval(show);
  }
};

/**
 * Runs a command to its end. Throws SetupError with the beginning and the end of its output when it fails.
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 */
export const run = async (command, args, options = {}) => {
  const logFile = join(places.logs, 'setup.log');
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const from = readFileSync(logFile).length;
  try {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', log, log],
    });
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => resolve(status ?? signal));
    });
    if (code === 0) return;
    const printed = readFileSync(logFile).subarray(from).toString().trimEnd().split('\n');
    // npm prints the reason first, pip prints it last
    const shown =
      printed.length > 30 ? [...printed.slice(0, 12), '…', ...printed.slice(-16)] : printed;
    throw new SetupError(
      `${command} ${args.join(' ')} ended with exit code or signal ${code}:\n${shown.join('\n')}\n(full output: ${logFile})`,
    );
  } finally {
    closeSync(log);
  }
};
