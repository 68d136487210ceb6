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
  encoder: 'src/media/image/encoder-process.ts',
  enhance: 'src/cli/enhance.ts',
  up: 'src/stack/up.ts',
};

/** Node's own options for a program of `dist/`: its errors name the lines of the TypeScript. */
export const nodeOptions = Object.freeze(['--enable-source-maps']);

/** Of the worker: garbage is collected sooner, so that a long video takes no more memory than a short one (docs/performance.md). */
export const workerOptions = Object.freeze([
  ...nodeOptions,
  ...['--optimize-for-size', '--max-semi-space-size=1', '--heap-growing-percent=5'],
]);

/** One at a time: the first to end stops esbuild, and what another has under way would never end. @type {Promise<void> | undefined} */
let compiling;

/** The path of a program that is as new as its sources. @param {keyof typeof programs} name */
export const compiled = async (name) => {
  if (!isNew()) {
    compiling ??= compile().finally(() => {
      compiling = undefined;
    });
    await compiling;
  }
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

/**
 * JavaScript of TypeScript, for Node to run: most packages stay outside. What several of them share, and what is imported when
 * it is first needed, are files of their own, named by their content.
 * @param {Readonly<Record<string, string>>} sources by the name of what is made of each; paths from the root
 * @param {string} outdir where it will lie, somewhere below the root, beside each other
 */
export const bundle = async (sources, outdir) => {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: Object.entries(sources).map(([out, source]) => ({ in: source, out })),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      splitting: true,
      chunkNames: '[name]-[hash]',
      banner: { js: head },
      outdir,
      write: false,
      logLevel: 'silent',
      absWorkingDir: root,
      sourcemap: 'linked',
      sourcesContent: false,
      plugins: [packages, ownUrls(outdir)],
    });
    return outputFiles;
  } finally {
    await stop(); // its process would stay as long as ours
  }
};

const compile = async () => {
  mkdirSync(dist, { recursive: true });
  const from = new Date();
  // Those of earlier programs stay: one that runs may need them yet.
  for (const { path, contents } of await bundle(programs, dist)) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, contents, { mode: 0o755 });
    // What is changed while esbuild reads is newer than this.
    utimesSync(draft, from, from);
    // At once: another process may be about to start it.
    renameSync(draft, path);
  }
};

/**
 * Packages of many small modules, of which Node would look up, read and link each at every start: they are compiled in, with
 * what they need. The others stay outside: some load files of their own.
 */
const compiledIn = ['axios', 'execa', 'file-type', 'zod'];

/** @type {import('esbuild').Plugin} */
const packages = {
  name: 'packages',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const isOurs = kind !== 'entry-point' && !importer.includes('/node_modules/');
      const isIn = compiledIn.some((name) => path === name || path.startsWith(`${name}/`));
      return isOurs && !isIn ? { path, external: true } : undefined;
    });
  },
};

/** Not written in one word: this file is compiled as well, and would compile otherwise after that. */
const ownUrl = ['import', 'meta', 'url'].join('.');

/** Of each file: what is compiled in may be CommonJS, which requires Node's own modules. */
const head = `#!/usr/bin/env node
import { createRequire as requireOf } from 'node:module';
const require = requireOf(${ownUrl});`;

/** A module finds its scripts and programs by its own URL, which is not that of the file it was compiled into. @param {string} outdir @returns {import('esbuild').Plugin} */
const ownUrls = (outdir) => ({
  name: 'own URLs',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      const own = `new URL(${JSON.stringify(relative(outdir, path))}, ${ownUrl}).href`;
      const text = readFileSync(path, 'utf8');
      return { contents: text.replaceAll(ownUrl, own), loader: 'ts' };
    });
  },
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await compile();
  process.stdout.write(`${Object.keys(programs).map((name) => `${basename(dist)}/${name}.js`)}\n`);
}
