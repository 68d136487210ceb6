/** Loaded into the worker before its own program: prints how long garbage collections have stopped it, in ms since the start. */
import { PerformanceObserver } from 'node:perf_hooks';

let stoppedMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) stoppedMs += duration;
  console.log(`stopped by collections: ${stoppedMs.toFixed(2)} ms`);
}).observe({ entryTypes: ['gc'] });
