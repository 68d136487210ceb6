/**
 * How good lip sync is, on a folder of clips, portraits and sounds: every clip with its own sound, each half planned
 * from the other; every clip and portrait with another's sound. Prints tables of markdown; OUT gets them too, a contact
 * sheet (PNG) of each run, and the videos. The numbers are of the finished files, decoded again: inference/bench/lipsync.
 * usage: npx tsx bench/lipsync.ts [FOLDER] [--model fast] [--out DIR] [--only PART-OF-A-NAME] [--no-self] [--no-foreign] [--no-speed]
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { LipsyncModel } from '../src/contract/lipsync.ts';
import { places, root } from '../src/stack/home.mjs';
import { listMedia, type Media } from './lipsync/media.ts';
import { foreignRun, portraitRun, type Run, selfRuns } from './lipsync/plan.ts';
import { runOnce } from './lipsync/run.ts';
import { speed } from './lipsync/speed.ts';
import { openStack } from './lipsync/stack.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string' },
    'no-self': { type: 'boolean', default: false },
    'no-foreign': { type: 'boolean', default: false },
    'no-speed': { type: 'boolean', default: false },
  },
});
const folder = resolve(positionals[0] ?? join(root, '../shared/media'));
const chosen = values.model ? [LipsyncModel.parse(values.model)] : LipsyncModel.options;
const out = resolve(values.out ?? join(places.run, 'bench-lipsync'));

const runsOf = (media: Media): Run[] => {
  const { clips, portraits, sounds } = media;
  const own = clips.filter(({ seconds }) => seconds !== null).flatMap(selfRuns);
  const other = [
    ...clips.map((clip, at) => foreignRun(clip, sounds, at)),
    ...portraits.map((portrait, at) => portraitRun(portrait, sounds, at)),
  ];
  const all = [...(values['no-self'] ? [] : own), ...(values['no-foreign'] ? [] : other)];
  return all.filter(({ name }) => name.includes(values.only ?? ''));
};

for (const model of chosen) {
  const dir = join(out, model);
  // Tables of one release: nothing of an earlier bench stays.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const media = await listMedia(folder, dir);
  const runs = runsOf(media);
  if (runs.length === 0) throw new Error(`${folder}: nothing to run`);
  const stack = await openStack(model);
  const failed: string[] = [];
  let pace = '';
  try {
    for (const [at, run] of runs.entries()) {
      process.stderr.write(`${at + 1} of ${runs.length}: ${run.name}\n`);
      try {
        await runOnce(stack, run, join(dir, run.name));
      } catch (error) {
        // One clip that cannot be done is a finding, not the end of the others.
        failed.push(`- ${run.name}: ${error}`);
        process.stderr.write(`${run.name}: ${error instanceof Error ? error.stack : error}\n`);
      }
    }
    pace = values['no-speed'] ? '' : await speed(stack, media, dir);
  } finally {
    await stack.close();
  }
  const env = { PYTHONPATH: join(root, 'inference'), OMP_NUM_THREADS: '1' };
  const measured = await execa(places.python, ['-m', 'bench.lipsync', dir, places.weights], {
    env,
    cwd: join(root, 'inference'),
    stderr: 'inherit',
  });
  const failures = failed.length > 0 ? `### Failed\n\n${failed.join('\n')}\n` : '';
  const text = `## ${model}: ${stack.models.portraitRelease}\n\n${measured.stdout}\n${pace}\n${failures}`;
  await writeFile(join(dir, 'table.md'), text);
  console.log(text);
  process.stderr.write(`sheets, videos and numbers: ${dir}\n`);
}
