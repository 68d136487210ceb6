/**
 * Runs test files one after the other in this process, as uvu's own command does: most of a short file's time is loading what
 * it tests. Tells before each file which it is, and after it how it ended and how long it took.
 * usage: node in-turn.js file …   (compiled files: programs.ts)
 */
import { pathToFileURL } from 'node:url';
import { allEnded, begins, ends } from './told.ts';

const queue: (null | (() => unknown))[][] = [];
// Before uvu is loaded: it reads them then.
Object.assign(globalThis, { UVU_DEFER: true, UVU_INDEX: 0, UVU_QUEUE: queue });
const { exec } = await import('uvu');

let failed = false;
for (const file of process.argv.slice(2)) {
  const from = performance.now();
  console.log(begins(file));
  queue.splice(0, queue.length, [null]);
  await import(pathToFileURL(file).href);
  await exec();
  const code = Number(process.exitCode ?? 0);
  failed ||= code !== 0;
  console.log(ends({ code, seconds: (performance.now() - from) / 1000 }));
}
process.exitCode = failed ? 1 : 0;
process.stdout.write(allEnded);
