/** The dashboard, the alert rules and the runbook, as files. What they show is tested by walk.test.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { tempDir } from '../real/run.ts';
import { skip } from '../real/skip.ts';
import { alerts, alertsFile, faultsIn, metricsIn, panelQueries, panels } from './promql.ts';

const test = suite('dashboard, alerts and runbook');
const runbook = readFileSync(join(root, 'docs/operate/runbook.md'), 'utf8');

test('the parser finds faults and names', () => {
  assert.equal(faultsIn('sum(rate(a_total{b="c"}[5m])) / max by (d) (e)'), []);
  assert.is(faultsIn('sum(rate(a_total[5m]) > 1').length, 1);
  assert.is.not(faultsIn('rate(a_total{b="c"[5m])').length, 0);
  assert.equal(metricsIn('sum by (x) (rate(a_total{y="z"}[5m])) / on () b'), ['a_total', 'b']);
});

test('every query of dashboard and alerts is PromQL', () => {
  assert.ok(panelQueries.length >= 30, `${panelQueries.length}`);
  const queries = [...panelQueries, ...alerts.map(({ expr }) => expr)];
  assert.equal(queries.flatMap(faultsIn), []);
});

test('every panel has its own id', () => {
  assert.is(new Set(panels.map(({ id }) => id)).size, panels.length);
});

test('every alert has a section in the runbook, and every section an alert', () => {
  const sections = runbook.split(/^## /m).slice(1);
  const titles = sections.map((section) => section.split('\n')[0]);
  assert.equal(
    titles,
    alerts.map(({ alert }) => alert),
  );
  for (const [i, { alert, annotations }] of alerts.entries()) {
    assert.is(annotations.runbook, `docs/operate/runbook.md#${alert.toLowerCase()}`);
    for (const part of ['**Means:**', '**Look:**', '**Do:**'])
      assert.ok(sections[i]?.includes(part), `${alert} has ${part}`);
  }
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
const accepts = 'Prometheus itself accepts the rules, and the queries of the dashboard as rules';
if (promtool)
  test(accepts, () => {
    execFileSync('promtool', ['check', 'rules', alertsFile], { stdio: 'pipe' });
    const rules = panelQueries.map((expr, i) => ({ record: `panel:${i}`, expr }));
    const file = join(tempDir('rules'), 'panels.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    execFileSync('promtool', ['check', 'rules', file], { stdio: 'pipe' });
  });
else skip(test, accepts, 'promtool');

const fires = 'alerts fire on what they are for, and not on a quiet service';
if (promtool)
  test(fires, () => {
    const file = join(root, 'tests/watching/alerts-test.yml');
    execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' });
  });
else skip(test, fires, 'promtool');

test.run();
