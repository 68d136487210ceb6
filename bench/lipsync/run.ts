/** One run through the pipeline, and what inference/bench/lipsync/run.py reads of it: run.json, raw arrays, output.mp4. */
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchHooks } from '../../src/operations/lip-sync/bench-hooks.ts';
import { LipsyncOptions } from '../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../src/operations/lip-sync/run.ts';
import type { LipSyncTask } from '../../src/operations/lip-sync/task.ts';
import { probeBoth } from '../../tests/real/probe-both.ts';
import { changedOutside } from './changed.ts';
import type { Run } from './plan.ts';
import type { Stack } from './stack.ts';

/** The mask of every fifth frame is written: the seam is measured there. */
const MASK_EVERY = 5;
/** x, y and z of the points of a mesh. */
const MESH_NUMBERS = 478 * 3;

export const runOnce = async (stack: Stack, run: Run, dir: string): Promise<void> => {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const { hooks, recorded } = record(run);
  const { outcome, seconds, peakMib } = await timed(stack, run, join(dir, 'output.mp4'), hooks);
  const { plan, meshes, masks, maskBytes, changed } = recorded();
  if (!plan) throw new Error(`${run.name}: the hook got no plan`);

  const { times, targets, heard, lagSeconds } = plan;
  await writeFile(join(dir, 'times.f64'), bytesOf(Float64Array.from(times)));
  await writeFile(join(dir, 'targets.f32'), bytesOf(targets));
  await writeFile(join(dir, 'posteriors.f32'), bytesOf(heard.posteriors));
  await writeFile(join(dir, 'activity.f32'), bytesOf(heard.activity));
  await writeAll(join(dir, 'meshes.f32'), meshes.map(bytesOf));
  await writeAll(join(dir, 'masks.u8'), maskBytes);
  const { width, height } = outcome.outputSize;
  const written = {
    ...run,
    model: stack.models.model,
    lag: lagSeconds,
    masks,
    sync: outcome.lipsync.sync,
    frames: outcome.frames,
    frames_passed_through: outcome.lipsync.framesPassedThrough,
    real_time: outcome.durationSeconds / seconds,
    seconds,
    peak_mib: peakMib,
    changed_outside: run.role === 'portrait' ? null : changed,
    size: `${width}x${height}`,
  };
  await writeFile(join(dir, 'run.json'), JSON.stringify(written));
};

type Mask = { index: number; x: number; y: number; width: number; height: number; offset: number };

/** Hooks that record a run, and what they have recorded when it is over. */
const record = (run: Run) => {
  const meshes: Float32Array[] = [];
  const masks: Mask[] = [];
  const maskBytes: Buffer[] = [];
  let plan: Parameters<NonNullable<BenchHooks['planned']>>[0] | undefined;
  let offset = 0;
  /** Samples outside of the masks. */
  let changed = 0;
  const [learnFrom, learnTo] = run.learnt ?? [0, Number.POSITIVE_INFINITY];
  const [judgeFrom, judgeTo] = run.judged ?? [0, Number.POSITIVE_INFINITY];
  const hooks: BenchHooks = {
    // Frames that are not judged need not be rendered.
    renders: (seconds) => seconds >= judgeFrom && seconds < judgeTo,
    // The reference is the clip's own picture, with its own lag.
    keepLag: run.role === 'self',
    learn: (seconds) => seconds >= learnFrom && seconds < learnTo,
    planned: (planned) => {
      plan = planned;
    },
    rendered: ({ index, mesh, rect, mask, before, after }) => {
      meshes[index] = mesh ? mesh.slice() : new Float32Array(MESH_NUMBERS).fill(Number.NaN);
      changed += changedOutside(before, after, rect && mask ? { ...rect, mask } : null);
      if (rect && mask && index % MASK_EVERY === 0) {
        const { x, y, width, height } = rect;
        masks.push({ index, x, y, width, height, offset });
        maskBytes.push(Buffer.from(mask));
        offset += mask.length;
      }
    },
  };
  return { hooks, recorded: () => ({ plan, meshes, masks, maskBytes, changed }) };
};

/** Seconds from the probed files to the finished one, and the peak memory of this process, which does a worker's work. */
export const timed = async (stack: Stack, run: Run, target: string, hooks?: BenchHooks) => {
  const inputs = { media: run.source, audio: run.audio };
  const { signal } = new AbortController();
  const task: LipSyncTask = {
    options: LipsyncOptions.parse({ model: stack.models.model }),
    inputs,
    found: await probeBoth(inputs, stack.config, signal),
    target,
    models: stack.models,
    config: stack.config,
    report: () => {},
    signal,
    ...(hooks ? { hooks } : {}),
  };
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const sampling = setInterval(sample, 100);
  const began = performance.now();
  try {
    const outcome = await runLipSync(task);
    sample();
    const seconds = (performance.now() - began) / 1000;
    return { outcome, seconds, peakMib: Math.round(peak / 2 ** 20) };
  } finally {
    clearInterval(sampling);
  }
};

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const writeAll = async (path: string, parts: readonly Buffer[]) => {
  const file = await open(path, 'w');
  try {
    for (const part of parts) await file.write(part);
  } finally {
    await file.close();
  }
};
