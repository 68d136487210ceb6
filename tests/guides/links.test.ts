import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';

const test = suite('links');
const decisions = join(root, 'docs/decisions');

const filesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '', encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  );
const pages = filesIn(['', 'docs', 'client', 'deploy', 'inference', 'tests']).filter((path) =>
  path.endsWith('.md'),
);

/** As GitHub names the heading of a page in its address. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const leads = (page: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path ? join(root, dirname(page), path) : join(root, page);
  if (!existsSync(target)) return false;
  if (anchor === undefined || statSync(target).isDirectory()) return anchor === undefined;
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)];
  return headings.some(([, heading = '']) => anchorOf(heading) === anchor);
};

test('every link within the documents leads to a file, and to a heading that it has', () => {
  const links = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => ({ page, link }))
      .filter(({ link }) => !/^[a-z]+:/.test(link)),
  );
  assert.ok(links.length > 100);
  assert.equal(
    links.filter(({ page, link }) => !leads(page, link)),
    [],
  );
});

test('every source file that a document names is there, but for the decisions, which tell of earlier times', () => {
  const folders = ['src', 'web', 'client', 'inference', 'models', 'bench', 'ops', 'tests'];
  const files = ['', ...filesIn(['', ...folders])].join('\n/');
  const named = pages
    .filter((page) => !page.startsWith('docs/decisions/'))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/`([^`\n]+)`/g)].flatMap(
        ([, code = '']) =>
          [...code.matchAll(/[\w./-]+\.(?:ts|mjs|py|lua)\b/g)].map(([name]) => ({ page, name })),
      ),
    );
  assert.ok(named.length > 100);
  assert.equal(
    named.filter(({ name }) => !files.includes(`/${name.replace(/^(\.*\/)+/, '')}\n`)),
    [],
  );
});

test('the list of decisions has each of them once', () => {
  const listed = [...readFileSync(join(decisions, 'README.md'), 'utf8').matchAll(/\((\d.+)\)$/gm)];
  const files = readdirSync(decisions).filter((name) => /^\d/.test(name));
  assert.equal(listed.map(([, file]) => file).sort(), files.sort());
});

test.run();
