import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';

const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');

const test = suite('threat model');

test('every test and bench that it names exists', () => {
  const named = [...page.matchAll(/`((?:tests|bench)\/[^`\s]+\.ts)`/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(named.length > 30);
  assert.equal(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test('every threat has all four cells: what it is, what stops it, what shows that, what is left', () => {
  const rows =
    page
      .split('\n## What they can try')[1]
      ?.split('\n## ')[0]
      ?.match(/^\|.+\|$/gm) ?? [];
  assert.ok(rows.length > 25);
  for (const row of rows) {
    const cells = row.split('|').slice(1, -1);
    assert.is(cells.length, 4, row);
    assert.ok(
      cells.every((cell) => cell.trim()),
      row,
    );
  }
});

test.run();
