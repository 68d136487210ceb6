/**
 * The quality of lip sync on a folder of clips, portraits and sounds, for each model: every clip with its own sound, each
 * half planned from the other; every clip and portrait with another sound. Writes to DIR: table.md (also printed),
 * CLIP.ROLE.png (the same frames of the source and of each model), CLIP.ROLE.changes.png (of each model, three times twelve
 * frames in a row, where the inside of the mouth changes most), CLIP.SOUND.mp4 (source and models side by side, with the new
 * sound), and a folder of runs for each model. inference/bench/lipsync measures the finished files, decoded again.
 * usage: npx tsx bench/lipsync.ts [FOLDER] [--model fast,studio] [--out DIR] [--only PART-OF-A-NAME] [--seconds N]
 *   [--no-self] [--no-foreign] [--no-speed] [--keep]
 * --only takes several parts, separated by commas; --seconds cuts a clip's own sound; with --keep the table also shows the
 * results of other models that an earlier run left in DIR.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { LipsyncModel } from '../src/operations/lip-sync/request.ts';
import { places, root } from '../src/stack/home.mjs';
import { besideEachOther } from './lipsync/beside.ts';
import { listMedia, type Media } from './lipsync/media.ts';
import { foreignRun, portraitRun, type Run, selfRuns } from './lipsync/plan.ts';
import { runOnce } from './lipsync/run.ts';
import { speed } from './lipsync/speed.ts';
import { openStacks, type Stack } from './lipsync/stack.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3600' },
    'no-self': { type: 'boolean', default: false },
    'no-foreign': { type: 'boolean', default: false },
    'no-speed': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const folder = resolve(positionals[0] ?? join(root, '../shared/media'));
const out = resolve(values.out ?? join(places.run, 'bench-lipsync'));
const named = values.model?.split(',').map((model) => LipsyncModel.parse(model));
const chosen = LipsyncModel.options.filter((model) => named?.includes(model) ?? true);
const shown = LipsyncModel.options.filter(
  (model) => chosen.includes(model) || (values.keep && existsSync(join(out, model))),
);

const runsOf = ({ clips, portraits, sounds }: Media): Run[] => {
  const own = clips.filter(({ seconds }) => seconds !== null).flatMap(selfRuns);
  const other = [
    ...clips.map((clip, at) => foreignRun(clip, sounds, at)),
    ...portraits.map((portrait, at) => portraitRun(portrait, sounds, at)),
  ];
  const all = [...(values['no-self'] ? [] : own), ...(values['no-foreign'] ? [] : other)];
  const parts = values.only.split(',');
  return all.filter(({ name }) => parts.some((part) => name.includes(part)));
};

/** Clip by clip: a bench that is stopped early has all models of some clips. Returns the failures: the other runs go on. */
const runAll = async (stacks: readonly Stack[], runs: readonly Run[]): Promise<string[]> => {
  const failed = [];
  for (const [at, run] of runs.entries())
    for (const stack of stacks) {
      const { model } = stack.models;
      process.stderr.write(`${at + 1} of ${runs.length}: ${run.name}, ${model}\n`);
      try {
        await runOnce(stack, run, join(out, model, run.name));
      } catch (error) {
        failed.push(`- ${model}, ${run.name}: ${error}`);
        process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      }
    }
  return failed;
};

const showBeside = async (runs: readonly Run[]): Promise<void> => {
  for (const run of runs.filter(({ role }) => role !== 'self')) {
    const outputs = shown.map((model) => join(out, model, run.name, 'output.mp4'));
    const made = outputs.filter((path) => existsSync(path));
    if (made.length > 0) await besideEachOther(run, made, join(out, `${run.name}.mp4`));
  }
};

// A table must not mix releases: results of an earlier bench are removed, unless --keep is given.
if (!values.keep) await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const media = await listMedia(folder, out, Number(values.seconds));
const runs = runsOf(media);
if (runs.length === 0) throw new Error(`${folder}: no clip, portrait or sound matches`);

const paces: string[] = [];
const failed: string[] = [];
const stacks: Stack[] = [];
const opened = await openStacks(chosen);
try {
  for (const model of chosen) {
    await rm(join(out, model), { recursive: true, force: true });
    await mkdir(join(out, model));
    stacks.push(await opened.of(model));
  }
  failed.push(...(await runAll(stacks, runs)));
  for (const stack of values['no-speed'] ? [] : stacks)
    paces.push(await speed(stack, media, join(out, stack.models.model)));
} finally {
  await opened.close();
}
const releases = stacks.map(({ models }) => `- ${models.model}: ${models.version}`);
await showBeside(runs);
const { stdout } = await execa(
  places.python,
  ['-m', 'bench.lipsync', out, places.weights, ...shown],
  {
    env: { PYTHONPATH: join(root, 'inference'), OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    cwd: join(root, 'inference'),
    stderr: 'inherit',
  },
);
const failures = failed.length > 0 ? `### Failed\n\n${failed.join('\n')}\n` : '';
const text = `## Lip sync\n\n${releases.join('\n')}\n\n${stdout}\n${paces.join('\n')}\n${failures}`;
await writeFile(join(out, 'table.md'), text);
console.log(text);
process.stderr.write(`sheets, videos and numbers: ${out}\n`);
