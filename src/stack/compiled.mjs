/**
 * The programs of `dist/`, which Node starts in half the time and with less memory than their TypeScript through tsx
 * (decision 35). Whoever starts one asks for `compiled()` first, so that nobody runs what was compiled before a change.
 * usage: node src/stack/compiled.mjs   (compiles them in any case, as the image does)
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './home.mjs';

const dist = join(root, 'dist');
const sources = ['src', 'client'].map((name) => join(root, name));

const programs = {
  main: 'src/main.ts',
  prober: 'src/media/probe/prober-process.ts',
  enhance: 'src/cli/enhance.ts',
  up: 'src/stack/up.ts',
};

/** Node's own options for a program of `dist/`: its errors name the lines of the TypeScript. */
export const nodeOptions = Object.freeze(['--enable-source-maps']);

/** The path of a program that is as new as its sources. @param {keyof typeof programs} name */
export const compiled = async (name) => {
  if (!isNew()) await compile();
  return join(dist, `${name}.js`);
};

/** Files that were removed count too: their folder is changed then. */
const isNew = () => {
  const made = Object.keys(programs).map((name) => changedAt(join(dist, `${name}.js`)));
  const changed = sources.flatMap((folder) => [
    changedAt(folder),
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      changedAt(join(folder, name)),
    ),
  ]);
  return Math.min(...made) > Math.max(...changed);
};

/** ms since 1970; 0 where there is no such file. @param {string} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const compile = async () => {
  const from = new Date();
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: Object.entries(programs).map(([out, source]) => ({ in: join(root, source), out })),
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
    // What is imported when it is first needed is a file of its own, named by its content. Those of earlier programs stay:
    // one that runs may need them yet.
    ...{ splitting: true, chunkNames: '[name]-[hash]' },
    ...{ outdir: dist, write: false, logLevel: 'silent', absWorkingDir: root },
    ...{ sourcemap: 'linked', sourcesContent: false, plugins: [ownUrls] },
    banner: { js: '#!/usr/bin/env node' },
  });
  await stop(); // its process would stay as long as ours
  mkdirSync(dist, { recursive: true });
  for (const { path, contents } of outputFiles) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, contents, { mode: 0o755 });
    // What is changed while esbuild reads is newer than this.
    utimesSync(draft, from, from);
    // At once: another process may be about to start it.
    renameSync(draft, path);
  }
};

/** A module finds its scripts and programs by its own URL, which is not that of the file it was compiled into. @type {import('esbuild').Plugin} */
const ownUrls = {
  name: 'own URLs',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      const own = `new URL(${JSON.stringify(join('..', relative(root, path)))}, import.meta.url).href`;
      const text = readFileSync(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', own), loader: 'ts' };
    });
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await compile();
  process.stdout.write(`${Object.keys(programs).map((name) => `${basename(dist)}/${name}.js`)}\n`);
}
