/** A child process in its own process group: Ctrl-C reaches only its supervisor, and stopping it also stops its children. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Standard output and standard error are appended here. */
  readonly logFile: string;
  /** What the process sets itself to; 0 unless it says otherwise. */
  readonly niceness?: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly stopWithinMs?: number;
  /** Stops the process when aborted, also while it is starting. */
  readonly signal?: AbortSignal | undefined;
};

export type Child = {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit code or signal; never rejects. */
  readonly exited: Promise<string>;
  /** The last 15 lines that it has printed, without those that say no more than that it ended, and where in its code. */
  tail(): string;
  stop(): Promise<void>;
};

/** Each of Triton's Python processes prints this when Triton has ended: a line for each model, after the one with the reason. */
const ORPHANED = 'Non-graceful termination detected';
/** A line of the stack that Triton prints when it crashes, 20 or more of them after the one with the reason. */
const FRAME = /^ *\d+# /;

/** Starts a process and resolves when it is running. Rejects when it cannot be started. */
export const startChild = async (options: ChildOptions): Promise<Child> => {
  const { name, command, args, env, cwd, logFile, stopWithinMs = 10_000, signal } = options;
  signal?.throwIfAborted();
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = openSync(logFile, 'a', 0o600);
  const from = statSync(logFile).size;
  const child = asPrivate(() =>
    spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', log, log] }),
  );
  closeSync(log);
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} has no process id`);
  if (options.niceness) weighSession(pid, options.niceness);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      signalGroup(pid, 'SIGKILL'); // children that are still running
      resolve(signal ?? `exit code ${code}`);
    });
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return void (await exited);
    child.kill('SIGTERM');
    const deadline = new AbortController();
    await Promise.race([exited, sleep(stopWithinMs, undefined, { signal: deadline.signal })]);
    deadline.abort();
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, 'SIGKILL');
    await exited;
  };
  const onAbort = () => void stop();
  signal?.addEventListener('abort', onAbort, { once: true });
  void exited.then(() => signal?.removeEventListener('abort', onAbort));
  const tail = () => {
    const lines = readFileSync(logFile).subarray(from).toString().trimEnd().split('\n');
    return lines
      .filter((line) => !line.includes(ORPHANED) && !FRAME.test(line))
      .slice(-15)
      .join('\n');
  };
  return { name, pid, exited, tail, stop };
};

/**
 * Linux shares processors out between sessions first (autogroups), and a child that is detached has one of its own: there
 * the niceness of its processes counts for nothing against others', only that of the session.
 */
export const weighSession = (pid: number, niceness: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, `${niceness}`);
  } catch (error) {
    // ENOENT: this kernel has no autogroups, and goes by processes. ESRCH: the child has ended, which its owner is told.
    // EAGAIN: for an account other than root, the kernel takes one such change in 0.1 s; it stays as it was.
    if (!(isErrno(error) && ['ENOENT', 'ESRCH', 'EAGAIN'].includes(error.code ?? ''))) throw error;
  }
};
const isErrno = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error;

/** Runs `start` with umask 077, which a child inherits: only its owner can read the files that it creates. */
const asPrivate = <T>(start: () => T): T => {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
};

/** Signals a process group. A group that no longer exists is not an error. */
export const signalGroup = (pid: number, signal: NodeJS.Signals): void =>
  signalProcess(-pid, signal);

/** Signals a process. One that no longer exists is not an error. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(isErrno(error) && error.code === 'ESRCH')) throw error;
  }
};

/**
 * Waits until `check` answers true; `check` may throw while the server is not reachable yet. When the process ends
 * first or `withinMs` is over, the process is stopped and an Error with its last lines is thrown.
 */
export const untilReady = async (
  child: Child,
  check: (signal: AbortSignal) => Promise<boolean>,
  withinMs: number,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  let ended: string | undefined;
  void child.exited.then((how) => {
    ended = how;
  });
  let last: unknown;
  while (performance.now() < deadline && ended === undefined) {
    try {
      if (await check(AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())))))
        return;
    } catch (error) {
      last = error;
    }
    await sleep(50);
  }
  const why = ended === undefined ? `was not ready within ${withinMs} ms` : `ended with ${ended}`;
  const printed = child.tail();
  await child.stop();
  throw new Error(`${child.name} ${why}:\n${printed}`, { cause: last });
};
