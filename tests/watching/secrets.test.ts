/** Secrets as files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { variables } from '../../src/environment/variables.ts';
import { operations } from '../../src/operations/all.ts';
import { environmentFor } from '../../src/stack/allowed.ts';
import { givenEnvironment } from '../../src/stack/environment.ts';
import { places, root } from '../../src/stack/home.mjs';
import { keeper } from '../../src/stack/triton.ts';
import { tempDir } from '../real/run.ts';
import { skip } from '../real/skip.ts';

const test = suite('secrets as files');
const dir = tempDir('secrets');
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const given = {
  KEY_PEPPER_FILE: file('pepper', 'the-pepper-of-a-file\n'),
  SIGNING_SECRET_FILE: file('signing', 'the-signing-secret-of-a-file'),
};

test('a file gives the value of its variable, without the line end', () => {
  const { secrets, redis } = loadConfig(
    {
      ...given,
      ADMIN_KEY_FILE: file('admin', 'an-admin-key-of-a-file\r\n'),
      METRICS_TOKEN_FILE: file('metrics', 'a-metrics-token-of-a-file\n'),
      REDIS_URL_FILE: file('redis', 'redis://:password@redis:6379\n'),
    },
    operations,
  );
  assert.equal(secrets, {
    pepper: 'the-pepper-of-a-file',
    signing: 'the-signing-secret-of-a-file',
    adminKey: 'an-admin-key-of-a-file',
    metricsToken: 'a-metrics-token-of-a-file',
  });
  assert.is(redis.url, 'redis://:password@redis:6379');
});

test('every variable of the service can be given so, and reaches its process', () => {
  const named = Object.fromEntries(variables(operations).map((name) => [`${name}_FILE`, 'x']));
  assert.equal(environmentFor('service', named), named);
  assert.equal(environmentFor('Redis', named), {});
  assert.equal(environmentFor('Triton', named), {});
});

test('all faults are told at once, and no value', () => {
  const secret = 'a-secret-that-is-given-twice';
  const faulty = {
    KEY_PEPPER: secret,
    KEY_PEPPER_FILE: file('twice', secret),
    SIGNING_SECRET_FILE: join(dir, 'missing'),
    ADMIN_KEY_FILE: file('empty', '\n'),
  };
  try {
    loadConfig(faulty, operations);
    assert.unreachable();
  } catch (error) {
    const text = String(error);
    assert.match(text, 'KEY_PEPPER_FILE: expected KEY_PEPPER or KEY_PEPPER_FILE, not both');
    assert.match(text, /SIGNING_SECRET_FILE: ENOENT/);
    assert.match(text, /ADMIN_KEY_FILE: expected a value in .*; it is empty/);
    assert.not.match(text, secret);
  }
});

test('a value of a file is checked like any other, and not told', () => {
  const short = file('short', 'too-short-secret'.slice(0, 9));
  assert.throws(
    () => loadConfig({ ...given, KEY_PEPPER_FILE: short }, operations),
    (error: Error) =>
      /KEY_PEPPER: Expected at least 16/.test(error.message) &&
      !error.message.includes('too-short'),
  );
});

test('npm start takes secrets from files instead of making its own', () => {
  const environment = givenEnvironment(given);
  assert.is(environment.KEY_PEPPER, 'the-pepper-of-a-file');
  assert.is(environment.KEY_PEPPER_FILE, undefined);
});

/** Triton's command as the keeper starts it; echo stands for Triton, as the command is all that is asked. */
const kept = (env: NodeJS.ProcessEnv, triton = '/bin/echo') =>
  spawnSync(places.python, [keeper, triton, '--http-port=9'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });

test('Triton gets its secret from a file too, and does not start without one', () => {
  const secret = 'a-triton-secret-of-a-file';
  const path = file('triton', `${secret}\n`);
  assert.match(kept({ TRITON_ADMIN_SECRET_FILE: path }).stdout, `x-enhance-admin=${secret}`);
  for (const [env, why] of [
    [{}, /expected at least 16/],
    [{ TRITON_ADMIN_SECRET: secret, TRITON_ADMIN_SECRET_FILE: path }, /not both/],
    [{ TRITON_ADMIN_SECRET_FILE: join(dir, 'missing') }, /No such file/],
    [
      { TRITON_ADMIN_SECRET: secret, OTEL_EXPORTER_OTLP_HEADERS_FILE: join(dir, 'missing') },
      /OTEL_EXPORTER_OTLP_HEADERS_FILE: .*No such file/,
    ],
  ] as const) {
    const { status, stdout, stderr } = kept(env);
    assert.equal([status, stdout], [2, '']);
    assert.match(stderr, why);
    assert.not.match(stderr, secret);
  }
});

test('Triton gets the headers for the collector from a file too, decoded', () => {
  const printing = file('printing', '#!/bin/sh\necho "$OTEL_EXPORTER_OTLP_HEADERS"\n');
  chmodSync(printing, 0o700);
  const { stdout } = kept(
    {
      TRITON_ADMIN_SECRET: 'a-triton-secret-of-a-test',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file('headers', 'authorization=Basic%20YTpi\n'),
    },
    printing,
  );
  assert.is(stdout, 'authorization=Basic YTpi\n');
});

const Service = z.looseObject({
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.looseObject({ source: z.string() })).optional(),
});
const compose = [['docker-compose'], ['docker', 'compose']].find(
  ([command = '', ...words]) => spawnSync(command, [...words, 'version']).status === 0,
);
const merges = 'the page’s file of Docker secrets fits docker-compose.yml';
if (compose)
  test(merges, () => {
    const page = readFileSync(join(root, 'docs/operate/production.md'), 'utf8');
    const yaml = /```yaml\n(x-secrets[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const override = file('docker-compose.secrets.yml', yaml);
    const env = {
      PATH: process.env.PATH,
      HOME: dir,
      KEY_PEPPER: '',
      SIGNING_SECRET: '',
      METRICS_TOKEN: '',
      TRITON_ADMIN_SECRET: '',
    };
    const [command = '', ...words] = compose;
    const files = ['-f', join(root, 'docker-compose.yml'), '-f', override];
    const printed = execFileSync(command, [...words, ...files, 'config'], {
      env,
      encoding: 'utf8',
    });
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(printed));
    for (const name of ['api', 'worker']) {
      const { environment, secrets } = Service.parse(services[name]);
      assert.equal(
        [environment.KEY_PEPPER, environment.KEY_PEPPER_FILE],
        ['', '/run/secrets/key_pepper'],
      );
      assert.equal(secrets?.map(({ source }) => source).sort(), [
        'key_pepper',
        'metrics_token',
        'signing_secret',
        'triton_admin_secret',
      ]);
    }
  });
else skip(test, merges, 'docker-compose');

test.run();
