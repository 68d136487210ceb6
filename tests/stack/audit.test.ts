import { once } from 'node:events';
import { createServer } from 'node:http';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { tempDir } from '../real/run.ts';
import { isChecked, judgeNpm, judgePip, sayAudit } from '../runner/audits.ts';

const test = suite('audit of dependencies');

/** What npm makes of a registry that gives this answer to the question for advisories. */
const auditAgainst = async (status: number, advisories: object) => {
  let asked = '';
  const server = createServer((request, response) => {
    if (request.method === 'POST') asked = request.url ?? '';
    const isQuestion = request.method === 'POST';
    request.resume().once('end', () => {
      response.writeHead(isQuestion ? status : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isQuestion ? advisories : {}));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const words = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--cache', tempDir('npm')];
  const { stdout } = await execa('npm', [...words, `--registry=http://127.0.0.1:${port}`], {
    cwd: root,
    reject: false,
    timeout: 60_000,
  });
  server.close();
  server.closeAllConnections();
  assert.match(asked, 'advisories/bulk');
  return judgeNpm(stdout);
};

const advisory = (severity: string) => ({
  koa: [
    {
      id: 1,
      title: 'Koa lets strangers in',
      severity,
      vulnerable_versions: '*',
      url: 'https://advisories.example/1',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
});

test('a package that npm has a grave advisory for is a fault, by its name and title', async () => {
  const audit = await auditAgainst(200, advisory('critical'));
  // npm names what depends on it as well.
  assert.match(audit.faults.join('\n'), /^koa: critical: Koa lets strangers in/m);
  assert.ok(isChecked(audit));
});

test('a light advisory is none, and no advisory is said with the number of packages', async () => {
  assert.equal((await auditAgainst(200, advisory('low'))).faults, []);
  const audit = await auditAgainst(200, {});
  assert.match(sayAudit(audit), /^npm packages: \d{2,} checked, 0 with advisories$/);
});

test('a registry that answers no such question is told as not checked, and not as clean', async () => {
  const audit = await auditAgainst(405, {});
  assert.not(isChecked(audit));
  assert.match(sayAudit(audit), /^NOT CHECKED: npm packages: 405 Method Not Allowed/);
});

/** As pip-audit 2.10 prints them. */
const found = {
  name: 'numpy',
  version: '1.0',
  vulns: [{ id: 'PYSEC-1', fix_versions: ['1.1'], aliases: [] }],
};
const clean = { name: 'onnx', version: '1.2', vulns: [] };
const skipped = {
  name: 'cffi',
  skip_reason: 'Dependency not found and could not be audited: cffi (2.1)',
};

test('what pip-audit finds, and what it could not look up, are told apart', () => {
  const judge = (...dependencies: object[]) =>
    judgePip('Python packages', JSON.stringify({ dependencies, fixes: [] }));
  assert.equal(judge(clean, found).faults, ['numpy 1.0: PYSEC-1, mended in 1.1']);
  assert.is(sayAudit(judge(clean)), 'Python packages: 1 checked, 0 with advisories');
  const half = judge(clean, skipped);
  assert.not(isChecked(half));
  assert.match(sayAudit(half), /1 checked, 0 with advisories; NOT CHECKED: 1: .*cffi/);
  assert.match(sayAudit(judge(skipped)), /^NOT CHECKED: Python packages: /);
});

test('output that is no report is an error, not a pass', () => {
  assert.throws(() => judgeNpm('{}'));
  assert.throws(() => judgePip('Python packages', '{}'));
});

test.run();
