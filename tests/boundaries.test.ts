import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const src = fileURLToPath(new URL('../src', import.meta.url));

/**
 * What each folder may import beside itself, the files at the top of src and the `common` folders; `types` vanish when the
 * code runs.
 */
const allowed: Readonly<Record<string, { values?: readonly string[]; types?: readonly string[] }>> =
  {
    contract: {},
    operations: {
      values: ['accounts', 'async', 'cli', 'contract', 'media', 'models', 'storage', 'triton'],
      types: ['provenance'],
    },
    http: {
      values: ['accounts', 'async', 'contract', 'jobs', 'models', 'operations', 'storage'],
      types: ['media', 'metrics', 'webhooks'],
    },
    accounts: { values: ['async', 'contract'] },
    jobs: {
      values: ['accounts', 'async', 'contract', 'operations', 'storage'],
      types: ['metrics', 'models'],
    },
    webhooks: { values: ['async', 'contract', 'jobs', 'media'], types: ['metrics'] },
    models: { values: ['async', 'contract', 'triton'] },
    provenance: { values: ['media'], types: ['contract'] },
    media: { values: ['contract', 'storage'] },
    triton: { values: ['async'], types: ['metrics'] },
    metrics: { types: ['accounts', 'contract'] },
    storage: { values: ['async', 'contract'] },
    async: {},
    stack: { values: ['operations', 'triton'] },
    cli: {
      values: [
        ...['accounts', 'async', 'client', 'contract', 'jobs', 'models', 'operations'],
        ...['provenance', 'stack'],
        ...['storage', 'triton'],
      ],
    },
  };

/** What every folder may import; these know only each other, the files at the top and the contract. */
const common = ['', 'environment', 'process', 'redis', 'text', 'tracing'];

/** Inside a folder: which of its sub-folders each of them may import; the files beside them are free to all. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  models: { pack: [], check: ['pack'] },
  media: { fetch: [], image: [], probe: ['image'], read: [], write: [] },
  jobs: {
    record: [],
    submit: ['record'],
    chunks: ['record'],
    run: ['record', 'submit', 'chunks'],
  },
  triton: {
    protocol: [],
    'shared-memory': ['protocol'],
    clients: ['protocol'],
    replicas: ['protocol'],
  },
  http: {
    body: [],
    gate: [],
    middleware: [],
    pages: [],
    answer: [],
    order: ['answer', 'body'],
    routes: ['answer', 'order', 'pages'],
  },
  operations: { upscale: [], 'lip-sync': [] },
  'operations/lip-sync': {
    faces: [],
    plan: [],
    render: ['faces', 'plan'],
    check: ['faces'],
  },
};

/** One owner for each outside thing: who may import it as a value. */
const owners: Readonly<Record<string, RegExp>> = {
  bull: /^redis\/bull\.ts$/,
  ioredis: /^(stack\/redis\.ts$|redis\/)/,
  standardwebhooks: /^webhooks\/secrets\.ts$/,
  koa: /^http\//,
  '@koa/router': /^http\//,
  '@bull-board/api': /^http\/pages\/board\.ts$/,
  '@bull-board/api/bullAdapter': /^http\/pages\/board\.ts$/,
  '@bull-board/koa': /^http\/pages\/board\.ts$/,
  '@koa/cors': /^http\/middleware\/cross-origin\.ts$/,
  'koa-body': /^http\/body\/json-body\.ts$/,
  '@fastify/busboy': /^http\/body\/multipart\.ts$/,
  axios: /^media\/fetch\/(fetch-to|post)\.ts$/,
  execa: /^(media\/child\.ts|stack\/.*)$/,
  sharp: /^media\/image\//,
  'file-type': /^media\/probe\//,
  'ipaddr.js': /^media\/fetch\//,
  '@grpc/grpc-js': /^triton\/protocol\//,
  '@grpc/proto-loader': /^triton\/protocol\//,
  'node:child_process': /^(media\/(child|image\/encode|probe\/prober)\.ts|stack\/.*)$/,
  commander: /^(cli\/|operations\/[^/]+\/cli\.ts$)/,
  'cli-progress': /^cli\//,
  '@aws-sdk/client-s3': /^storage\/s3\//,
  '@aws-sdk/lib-storage': /^storage\/s3\//,
  '@aws-sdk/s3-request-presigner': /^storage\/s3\//,
  'prom-client': /^metrics\//,
  '@opentelemetry/api': /^tracing\/otel\.ts$/,
  '@opentelemetry/exporter-trace-otlp-http': /^tracing\/otel\.ts$/,
  '@opentelemetry/resources': /^tracing\/otel\.ts$/,
  '@opentelemetry/sdk-trace': /^tracing\/otel\.ts$/,
  'lru-cache': /^(media\/probe\/probed|jobs\/submit\/cached-results|models\/catalogue)\.ts$/,
  'range-parser': /^http\/answer\/serve-file\.ts$/,
  esbuild: /^(http\/pages\/bundle\.ts|stack\/compiled\.mjs)$/,
  yaml: /^cli\/releases\.ts$/,
  tar: /^models\/pack\/unpack\.ts$/,
  'spdx-expression-parse': /^models\/pack\/licence\.ts$/,
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
/** The client stands beside src; it counts as one of its folders here. */
const target = ({ from, to }: Import) =>
  normalize(join(dirname(from), to)).replace(/^\.\.\/client\//, 'client/');
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');
/** The folder directly below `folder` that a file lies in; '' for none. */
const subfolderOf = (folder: string, path: string): string => {
  if (!path.startsWith(`${folder}/`)) return '';
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length > 0 ? first : '';
};
const line = (entry: Import) =>
  `${entry.from} imports ${entry.isType ? 'the types of ' : ''}${entry.to}`;

const test = suite('boundaries');

test('every folder of src has its rule', () => {
  const folders = [...new Set(sources.map(({ name }) => folderOf(name)).filter(Boolean))];
  assert.equal(
    folders.filter((folder) => !allowed[folder] && !common.includes(folder)),
    [],
  );
});

test('a folder imports only what stands after it on the walk', () => {
  const breaches = imports.filter(isInside).filter((entry) => {
    const from = folderOf(entry.from);
    const to = folderOf(target(entry));
    if (common.includes(from) || from === to || common.includes(to)) return false;
    const rule = allowed[from];
    return !(rule?.values?.includes(to) || (entry.isType && rule?.types?.includes(to)));
  });
  assert.equal(breaches.map(line), []);
});

test('nothing imports main', () => {
  const breaches = imports.filter(isInside).filter((entry) => target(entry) === 'main.ts');
  assert.equal(breaches.map(line), []);
});

test('the files at the top of src and the common folders know no other folder but contract', () => {
  const breaches = imports
    .filter(isInside)
    .filter(({ from }) => common.includes(folderOf(from)) && from !== 'main.ts')
    .filter((entry) => ![...common, 'contract'].includes(folderOf(target(entry))));
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

test('the client can be taken out of the repository', () => {
  const folder = join(src, '../client');
  const strange = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(declaration)])
    .map(([, , to = '']) => to)
    .filter((to) => !/^(\.\/[a-z]+\.ts|eventsource-parser\/stream|standardwebhooks)$/.test(to));
  assert.equal(strange, []);
});

test('the playground calls the service by the client, and knows nothing else of it but types', () => {
  const folder = join(src, '../web');
  const strange = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(declaration)])
    .filter(([, isType, to = '']) =>
      to.includes('/src/') ? !isType || !to.includes('/src/contract/') : !to.startsWith('.'),
    )
    .map(([statement]) => statement);
  assert.equal(strange, []);
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

test('a sub-folder imports only what its folder lets it', () => {
  const breaches = imports.filter(isInside).filter((entry) => {
    const to = target(entry);
    return Object.entries(inside).some(([folder, rules]) => {
      const [from, into] = [subfolderOf(folder, entry.from), subfolderOf(folder, to)];
      return from && into && from !== into && !rules[from]?.includes(into);
    });
  });
  assert.equal(breaches.map(line), []);
});

test('no rule permits what nothing does', () => {
  const used = imports.filter(isInside);
  const unused = Object.entries(allowed).flatMap(([from, { values = [], types = [] }]) => {
    const does = (to: string, isType: boolean) =>
      used.some(
        (entry) =>
          entry.isType === isType &&
          folderOf(entry.from) === from &&
          folderOf(target(entry)) === to,
      );
    return [
      ...values.filter((to) => !does(to, false)).map((to) => `${from}: values of ${to}`),
      ...types.filter((to) => !does(to, true)).map((to) => `${from}: types of ${to}`),
    ];
  });
  const idle = Object.entries(inside).flatMap(([folder, rules]) =>
    Object.entries(rules).flatMap(([from, tos]) =>
      tos
        .filter(
          (to) =>
            !used.some(
              (entry) =>
                subfolderOf(folder, entry.from) === from &&
                subfolderOf(folder, target(entry)) === to,
            ),
        )
        .map((to) => `${folder}/${from}: ${to}`),
    ),
  );
  const ownerless = Object.entries(owners)
    .filter(([name, who]) => !imports.some(({ to, from }) => to === name && who.test(from)))
    .map(([name]) => `owner of ${name}`);
  assert.equal([...unused, ...idle, ...ownerless], []);
});

test('every outside package has an owner, but zod and the log', () => {
  const free = ['zod', 'pino'];
  const packages = imports
    .filter((entry) => !entry.isType && !isInside(entry) && !entry.to.startsWith('node:'))
    .map(({ to }) => to)
    .filter((name) => !owners[name] && !free.includes(name));
  assert.equal([...new Set(packages)].sort(), []);
});

test('imports go in one direction, those of types too: no file reaches itself', () => {
  const next = new Map<string, string[]>();
  for (const entry of imports.filter(isInside))
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
