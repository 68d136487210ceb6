import type { Log } from '../log.ts';

/** A request as the log names it. `state` is filled in while the request is handled. */
export type Running = {
  readonly method: string;
  readonly state: { readonly pattern: string; readonly requestId: string };
};

export type Watchdog = ReturnType<typeof startWatchdog>;

const tickMs = 20;
/** While the event loop is blocked no request is answered, not even /healthz. */
const maxBlockMs = 200;
/** Requests named in one log line; thousands can be open. */
const maxNamed = 10;

/** Logs every block of the event loop of more than 200 ms with the open requests, the likely causes first. */
export const startWatchdog = (log: Log, stopped: AbortSignal) => {
  const open = new Set<Running>();
  /** Requests that began or ended since the last tick: the likeliest causes of a block. */
  let recent = new Set<Running>();
  let lastMs = performance.now();
  let lastCpu = process.cpuUsage();

  const tick = (): void => {
    const nowMs = performance.now();
    const blockedMs = nowMs - lastMs - tickMs;
    const cpu = process.cpuUsage(lastCpu);
    if (blockedMs > maxBlockMs) {
      const named = [...new Set([...recent, ...[...open].reverse()])].slice(0, maxNamed);
      log.warn(
        {
          blocked_ms: Math.round(blockedMs),
          // When this is far below blocked_ms, other processes took the processor or this one was stopped.
          cpu_ms: Math.round((cpu.user + cpu.system) / 1000),
          open: open.size,
          requests: named.map(nameOf),
        },
        'the event loop was blocked',
      );
    }
    recent = new Set();
    lastMs = nowMs;
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(tick, tickMs).unref();
  stopped.addEventListener('abort', () => clearInterval(timer), { once: true });

  return {
    begun: (request: Running): void => {
      open.add(request);
      recent.add(request);
    },
    ended: (request: Running): void => {
      open.delete(request);
      recent.add(request);
    },
  };
};

const nameOf = ({ method, state }: Running) => ({
  method,
  route: state.pattern || 'unknown',
  request_id: state.requestId,
});
