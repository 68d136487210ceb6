import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** What each folder may import beside itself and the files at the top of src. `types` vanish when the code runs. */
const allowed: Readonly<Record<string, { values?: readonly string[]; types?: readonly string[] }>> =
  {
    contract: {},
    operations: {
      values: ['accounts', 'async', 'cli', 'contract', 'media', 'models', 'storage', 'triton'],
    },
    http: {
      values: ['accounts', 'contract', 'jobs', 'operations', 'storage'],
      types: ['async', 'media', 'models'],
    },
    accounts: { values: ['contract'] },
    jobs: { values: ['accounts', 'async', 'contract', 'storage'], types: ['operations'] },
    models: { values: ['triton'] },
    media: { values: ['contract', 'storage'] },
    triton: { types: ['operations'] },
    storage: { values: ['contract'] },
    async: {},
    stack: { values: ['operations', 'triton'] },
    cli: { values: ['accounts', 'contract', 'jobs', 'operations', 'stack', 'storage'] },
  };

/** One owner for each outside thing: who may import it as a value. */
const owners: Readonly<Record<string, RegExp>> = {
  bull: /^jobs\/queue\.ts$/,
  ioredis: /^(redis\.ts|stack\/redis\.ts|jobs\/queue\.ts)$/,
  koa: /^http\//,
  '@koa/router': /^http\//,
  'koa-body': /^http\/body\/json-body\.ts$/,
  '@fastify/busboy': /^http\/body\/multipart\.ts$/,
  sharp: /^media\//,
  'file-type': /^media\//,
  'ipaddr.js': /^media\//,
  '@grpc/grpc-js': /^triton\/protocol\//,
  '@grpc/proto-loader': /^triton\/protocol\//,
  'node:child_process': /^(media\/ffmpeg\.ts|stack\/.*)$/,
  commander: /^(cli\/|operations\/[^/]+\/cli\.ts$)/,
  'cli-progress': /^cli\//,
};

type Import = { readonly from: string; readonly to: string; readonly isType: boolean };

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|mjs)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));

const declaration = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const dynamic = /\bimport\('([^']+)'\)/g;

const imports: readonly Import[] = sources.flatMap(({ name, text }) => [
  ...[...text.matchAll(declaration)].map(([statement, isType, to = '']) => ({
    from: name,
    to,
    isType: isType !== undefined || onlyTypes(statement),
  })),
  ...[...text.matchAll(dynamic)].map(([, to = '']) => ({ from: name, to, isType: false })),
]);

/** `import { type A, type B } from …` */
function onlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(',')
    .map((entry) => entry.trim());
  return !!names && names.filter(Boolean).every((entry) => entry.startsWith('type '));
}

const isInside = ({ to }: Import) => to.startsWith('.');
const target = ({ from, to }: Import) => normalize(join(dirname(from), to));
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');
const line = (entry: Import) =>
  `${entry.from} imports ${entry.isType ? 'the types of ' : ''}${entry.to}`;

const test = suite('boundaries');

test('every folder of src has its rule', () => {
  const folders = [...new Set(sources.map(({ name }) => folderOf(name)).filter(Boolean))];
  assert.equal(
    folders.filter((folder) => !allowed[folder]),
    [],
  );
});

test('a folder imports only what stands after it on the walk', () => {
  const breaches = imports.filter(isInside).filter((entry) => {
    const from = folderOf(entry.from);
    const to = folderOf(target(entry));
    if (from === '' || from === to || to === '') return false;
    const rule = allowed[from];
    return !(rule?.values?.includes(to) || (entry.isType && rule?.types?.includes(to)));
  });
  assert.equal(breaches.map(line), []);
});

test('nothing imports main', () => {
  const breaches = imports.filter(isInside).filter((entry) => target(entry) === 'main.ts');
  assert.equal(breaches.map(line), []);
});

test('the files at the top of src know no folder but contract', () => {
  const breaches = imports
    .filter(isInside)
    .filter(({ from }) => folderOf(from) === '' && from !== 'main.ts')
    .filter((entry) => !['', 'contract'].includes(folderOf(target(entry))));
  assert.equal(breaches.map(line), []);
});

test('the contract knows nothing but zod', () => {
  const breaches = imports.filter(
    (entry) => folderOf(entry.from) === 'contract' && !isInside(entry) && entry.to !== 'zod',
  );
  assert.equal(breaches.map(line), []);
});

test('each outside thing has one owner', () => {
  const breaches = imports.filter(
    (entry) => !entry.isType && owners[entry.to] && !owners[entry.to]?.test(entry.from),
  );
  assert.equal(breaches.map(line), []);
});

test('the environment is read where the program starts and nowhere else', () => {
  const readers = sources
    .filter(({ text }) => text.includes('process.env'))
    .map(({ name }) => name)
    .filter((name) => !/^(main\.ts$|cli\/|stack\/)/.test(name));
  assert.equal(readers, []);
});

test('the set-up needs nothing that it installs', () => {
  const breaches = imports.filter(
    (entry) =>
      /^stack\/(setup\/|setup\.mjs|home\.mjs|lock\.mjs)/.test(entry.from) &&
      !entry.to.startsWith('node:') &&
      !(isInside(entry) && entry.to.endsWith('.mjs')),
  );
  assert.equal(breaches.map(line), []);
});

test('values are imported in one direction: no file reaches itself', () => {
  const next = new Map<string, string[]>();
  for (const entry of imports.filter((one) => isInside(one) && !one.isType))
    next.set(entry.from, [...(next.get(entry.from) ?? []), target(entry)]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const other of next.get(file) ?? []) {
      const circle = visit(other, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  const circles = [...next.keys()].map((file) => visit(file, [])).filter(Boolean);
  assert.equal(circles, []);
});

test.run();
