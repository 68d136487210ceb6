import type { Log } from '../log.ts';

/** A request as the log names it. `state` is filled in while the request is handled. */
type Running = {
  readonly method: string;
  readonly state: { readonly pattern: string; readonly requestId: string };
};

export type Watchdog = ReturnType<typeof startWatchdog>;

/** Up to this much of a block is not counted. A shorter tick would take more processor time from an idle service. */
const tickMs = 50;
/** While the event loop is blocked no request is answered, probes of the process's health included. */
const tooLongMs = 200;
/** How many of the open requests are named in the log; there may be thousands. */
const mostNamed = 10;

/**
 * Logs every block of the event loop over 200 ms with the requests that were open, those first that it can be due to.
 */
export const startWatchdog = (log: Log, stopped: AbortSignal) => {
  const open = new Set<Running>();
  /** Begun or ended since the last tick: what ran then is among them, or waits in `open`. */
  let moved = new Set<Running>();
  let lastMs = performance.now();
  let lastCpuMs = cpuMs();

  const tick = (): void => {
    const nowMs = performance.now();
    const blockedMs = nowMs - lastMs - tickMs;
    const nowCpuMs = cpuMs();
    if (blockedMs > tooLongMs) {
      const named = [...new Set([...moved, ...[...open].reverse()])].slice(0, mostNamed);
      log.warn(
        {
          blocked_ms: Math.round(blockedMs),
          // Much less than the block: the machine was busy with others, or stopped us.
          cpu_ms: Math.round(nowCpuMs - lastCpuMs),
          open: open.size,
          requests: named.map(nameOf),
        },
        'the event loop was blocked',
      );
    }
    moved = new Set();
    lastMs = nowMs;
    lastCpuMs = nowCpuMs;
  };
  const timer = setInterval(tick, tickMs).unref();
  stopped.addEventListener('abort', () => clearInterval(timer), { once: true });

  return {
    begun: (request: Running): void => {
      open.add(request);
      moved.add(request);
    },
    ended: (request: Running): void => {
      open.delete(request);
      moved.add(request);
    },
  };
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const nameOf = ({ method, state }: Running) => ({
  method,
  route: state.pattern || 'unknown',
  request_id: state.requestId,
});
