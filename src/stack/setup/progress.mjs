/** Runs the commands of the set-up: one line per step on the terminal, their output in log files. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { places } from '../home.mjs';
import { SetupError } from './setup-error.mjs';

const tty = process.stderr.isTTY;

/** When each step that runs now has begun, by its title. @type {Map<string, number>} */
const running = new Map();
const secondsOf = (/** @type {string} */ title) =>
  `${((Date.now() - (running.get(title) ?? 0)) / 1000).toFixed(0)} s`;

/** One line for all steps that run now. */
const show = () => {
  const each = [...running.keys()].map((title) => `${title} … ${secondsOf(title)}`);
  process.stderr.write(`${clear}  ${each.join(', ')} `);
};
/** The line is empty again. */
const clear = tty ? '\r\x1b[K' : '';

/**
 * Shows `title` and the seconds that `work` takes.
 * @template T @param {string} title @param {() => Promise<T>} work @returns {Promise<T>}
 */
export const step = async (title, work) => {
  running.set(title, Date.now());
  const shown = tty ? setInterval(show, 500) : undefined;
  if (!tty) process.stderr.write(`  ${title} …\n`);
  let how = 'failed after';
  try {
    const result = await work();
    how = 'done in';
    return result;
  } finally {
    clearInterval(shown);
    process.stderr.write(`${clear}  ${title}: ${how} ${secondsOf(title)}\n`);
    running.delete(title);
  }
};

/**
 * Runs a command to its end. Throws SetupError with the beginning and the end of its output when it fails.
 * What runs beside other commands has a `log` of its own.
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, log?: string }} [options]
 */
export const run = async (command, args, options = {}) => {
  const logFile = join(places.logs, options.log ?? 'setup.log');
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
