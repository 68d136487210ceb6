import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { variables } from '../../src/environment/variables.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { measureState } from '../../src/metrics/state.ts';
import { operations } from '../../src/operations/all.ts';
import { root } from '../../src/stack/home.mjs';
import { defaultPorts } from '../../src/stack/ports.ts';
import { redisArguments } from '../../src/stack/redis.ts';
import { keeper, models, tritonArguments } from '../../src/stack/triton.ts';
import { tempDir } from '../real/run.ts';
import {
  chart,
  environmentOf,
  everything,
  faultsIn,
  find,
  least,
  lint,
  onS3WithGpu,
  podOf,
  render,
  resources,
  setByChart,
  settable,
} from './chart.ts';

/** The oldest release that Chart.yaml allows, and the newest whose schemas are installed. */
const releases = ['1.29', '1.37'];
const choices = { 'the least': least, 'all on': everything, 'S3 and GPUs': onS3WithGpu };

const test = suite('Helm chart');

for (const [name, values] of Object.entries(choices))
  test(`with ${name}, Helm and the schemas of Kubernetes find nothing wrong`, () => {
    const linted = lint(values);
    assert.ok(linted.ok, linted.stdout + linted.stderr);
    const { stdout } = render(values);
    const crd = /^WARN .*Couldn't find schema for kind (ScaledObject|PodMonitor) /;
    for (const release of releases)
      assert.equal(
        faultsIn(stdout, release).filter((fault) => !crd.test(fault)),
        [],
      );
  });

test('the schemas do find what is wrong', () => {
  const { stdout } = render(least);
  const wrong = stdout
    .replace('runAsNonRoot: true', "runAsNonRoot: 'yes'")
    .replace('maxUnavailable: 1', 'maxUnavailble: 1');
  const [unknown = '', mistyped = '', ...more] = faultsIn(wrong, '1.29');
  assert.match(unknown, "'maxUnavailble' was unexpected");
  assert.match(mistyped, "'yes' is not of type");
  assert.equal(more, []);
});

const Scaled = z.object({ spec: z.custom<ScaledObject['spec']>() });
const Monitored = z.object({ spec: z.custom<PodMonitor['spec']>() });

test('KEDA and the Prometheus operator accept their resources', () => {
  const all = resources(everything);
  const [scaled, ...others] = all.filter(({ kind }) => kind === 'ScaledObject');
  const monitors = all.filter(({ kind }) => kind === 'PodMonitor');
  assert.equal([others.length, monitors.length], [0, 3]);
  new ScaledObject(Scaled.parse(scaled)).validate();
  for (const monitor of monitors) new PodMonitor(Monitored.parse(monitor)).validate();
  const wrong = Scaled.parse({ spec: { ...scaled?.spec, maxReplicaCount: 'ten' } });
  assert.throws(() => new ScaledObject(wrong).validate(), /maxReplicaCount must be integer/);
});

const refused: readonly [what: string, values: object, says: RegExp][] = [
  ['no address', { secrets: { existingSecret: 'own' } }, /publicUrl/],
  ['no Secret', { publicUrl: 'https://media.example' }, /existingSecret/],
  ['an unknown value', { ...least, workers: 3 }, /workers/],
  ['an unknown variable', { ...least, config: { QUEUE_LIMITS: 1 } }, /QUEUE_LIMITS/],
  ['a variable that the chart sets', { ...least, config: { DATA_DIR: '/tmp' } }, /DATA_DIR/],
  ['a secret in the values', { ...least, config: { KEY_PEPPER: 'x' } }, /KEY_PEPPER/],
  ['KEDA without Prometheus', { ...least, keda: { enabled: true } }, /prometheusUrl/],
  ['S3 without a bucket', { ...least, storage: { kind: 's3' } }, /bucket/],
  ['an Ingress without a host', { ...least, ingress: { enabled: true } }, /host/],
  ['PodMonitors without a token', { ...least, podMonitor: { enabled: true } }, /optional/],
];
for (const [what, values, says] of refused)
  test(`${what} is refused by name`, () => {
    const { ok, stderr } = render(values);
    assert.not(ok);
    assert.match(stderr, says);
  });

test('Triton runs with the arguments of the embedded one and loads the same models', () => {
  const { container } = podOf(find(resources({}), 'Deployment', 'enhance-triton'));
  const ports = { http: 8700, grpc: 8701, metrics: 8702 };
  assert.equal(container.command, [
    ...['python3', keeper, 'tritonserver'],
    ...tritonArguments(ports, ['/app/models', '/models']),
    ...models.map((model) => `--load-model=${model}`),
  ]);
  assert.equal(ports, {
    http: defaultPorts.TRITON_HTTP_PORT,
    grpc: defaultPorts.TRITON_GRPC_PORT,
    metrics: defaultPorts.TRITON_METRICS_PORT,
  });
});

test('API, worker and Redis run the commands of docker-compose.yml', () => {
  const Compose = z.object({
    services: z.record(z.string(), z.looseObject({ command: z.array(z.string()) })),
  });
  const { services } = Compose.parse(
    parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }),
  );
  const all = resources(everything);
  for (const part of ['api', 'worker']) {
    const { container } = podOf(find(all, 'Deployment', `enhance-${part}`));
    assert.equal(container.command, services[part]?.command);
  }
  const redis = podOf(find(all, 'StatefulSet', 'enhance-redis')).container;
  assert.equal(redis.command, [
    'redis-server',
    ...redisArguments(defaultPorts.REDIS_PORT),
    ...['--maxmemory', '1gb'],
    ...['--requirepass', '$(REDIS_PASSWORD)'],
  ]);
});

test('every pod is confined and gets no token of Kubernetes', () => {
  const pods = resources(everything).filter(({ spec }) => spec?.template);
  assert.is(pods.length, 4);
  for (const resource of pods) {
    const { pod, container } = podOf(resource);
    assert.equal([pod.automountServiceAccountToken, pod.enableServiceLinks], [false, false]);
    assert.ok(pod.shareProcessNamespace);
    const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext;
    assert.equal([runAsNonRoot, seccompProfile], [true, { type: 'RuntimeDefault' }]);
    assert.ok(Number(runAsUser) > 0);
    assert.equal(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.ok(container.resources.limits.memory, resource.metadata.name);
  }
});

test('API and worker get variables that the service reads, and no other', () => {
  const known = variables(operations);
  for (const values of Object.values(choices))
    for (const part of ['api', 'worker'] as const) {
      const names = Object.keys(environmentOf(values, part)).map((name) =>
        name.replace(/_FILE$/, ''),
      );
      assert.equal(
        names.filter((name) => !known.includes(name) && name !== 'REDIS_PASSWORD'),
        [],
      );
    }
});

test('values.schema.json takes every variable that the chart does not set itself', () => {
  const set = setByChart();
  const free = variables(operations).filter((name) => !set.has(name));
  assert.equal(
    settable(),
    free.sort(),
    'node --import tsx tests/stack/write-settable.ts writes the list anew',
  );
});

test('what the chart sets is a valid configuration with the meaning of its values', () => {
  const { files, triton, http, jobs, redis, logLevel, lipsync } = loadConfig(
    environmentOf(everything, 'api'),
    operations,
  );
  assert.equal(
    [files.dir, http.port, http.publicUrl, http.trustedProxies, jobs.concurrency, logLevel],
    ['/data', defaultPorts.PORT, 'https://media.example', 1, 2, 'warn'],
  );
  assert.equal([jobs.accountQueuedBytes, lipsync.chunkSeconds], [10_737_418_240, 2.5]);
  assert.match(`${triton.httpUrl}`, '//media-enhance-triton:8700');
  assert.match(redis.url, '@media-enhance-redis:6390');
});

test('secrets come from the Secret only, as variables or as files', () => {
  const secret = /PEPPER|SECRET|PASSWORD|TOKEN|ADMIN_KEY|REDIS_URL|ACCESS_KEY/;
  for (const values of Object.values(choices)) {
    const data = find(resources(values), 'ConfigMap', 'enhance').data ?? {};
    assert.equal(
      Object.keys(data).filter((name) => secret.test(name)),
      [],
    );
  }
  const { container } = podOf(find(resources(onS3WithGpu), 'Deployment', 'enhance-worker'));
  assert.equal(
    container.env
      .filter(({ name, value }) => value !== `/run/secrets/enhance/${name.replace(/_FILE$/, '')}`)
      .map(({ name }) => name),
    ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'], // from a Secret of the bucket's own
  );
  assert.ok(container.volumeMounts.some(({ mountPath }) => mountPath === '/run/secrets/enhance'));
});

test('the service reads its secrets from the files that the chart mounts', () => {
  const folder = tempDir('secrets');
  const mounted = Object.entries(environmentOf(onS3WithGpu, 'worker')).map(([name, value]) => {
    const path = value.replace('/run/secrets/enhance', folder);
    if (path !== value) writeFileSync(path, `${name.replace(/_FILE$/, '')}_of_the_test\n`);
    return [name, path];
  });
  const { secrets, redis } = loadConfig(Object.fromEntries(mounted), operations);
  assert.is(secrets.pepper, 'KEY_PEPPER_of_the_test');
  assert.is(secrets.metricsToken, 'METRICS_TOKEN_of_the_test');
  assert.is(redis.url, 'REDIS_URL_of_the_test');
});

test('a Triton that refused a release stays in use: its probes ask whether it is live', () => {
  const { container } = podOf(find(resources({}), 'Deployment', 'enhance-triton'));
  const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string() }) });
  for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    assert.is(Probe.parse(container[name]).httpGet.path, '/v2/health/live', name);
});

test('Kubernetes waits longer for a pod than its drain takes', () => {
  const all = resources({ worker: { drainSeconds: 7200 }, api: { drainSeconds: 50 } });
  const data = find(all, 'ConfigMap', 'enhance').data ?? {};
  const grace = (part: string) =>
    podOf(find(all, 'Deployment', `enhance-${part}`)).pod.terminationGracePeriodSeconds;
  assert.equal([data.WORKER_DRAIN_SECONDS, data.API_DRAIN_SECONDS], ['7200', '50']);
  assert.ok(grace('worker') >= 7200 + 20);
  assert.ok(grace('api') >= 50 + 10 + 7, 'the drain, preStop, and what closing takes');
});

test('the Ingress lets through the largest body and the longest wait, and buffers nothing', () => {
  const { annotations = {} } = find(resources(everything), 'Ingress', 'enhance').metadata;
  const of = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`] ?? '';
  const { limits, http } = loadConfig(environmentOf(everything, 'api'), operations);
  const body = Number(of('proxy-body-size').replace(/m$/, '')) * 1024 ** 2;
  assert.ok(body > limits.video.bytes + limits.audio.bytes);
  assert.ok(Number(of('proxy-read-timeout')) * 1000 > http.waitLimitMs);
  assert.equal([of('proxy-buffering'), of('proxy-request-buffering')], ['off', 'off']);
});

test('only API and worker reach Triton and Redis', () => {
  const all = resources(everything);
  const Rule = z.looseObject({
    podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    policyTypes: z.array(z.string()),
    ingress: z.array(
      z.looseObject({
        from: z.array(z.looseObject({})),
        ports: z.array(z.looseObject({ port: z.string() })),
      }),
    ),
  });
  for (const [part, ports] of Object.entries({ triton: ['http', 'grpc'], redis: ['redis'] })) {
    const rule = Rule.parse(find(all, 'NetworkPolicy', `enhance-${part}`).spec);
    const labelsOf = (component: string) => ({
      'app.kubernetes.io/name': 'enhance',
      'app.kubernetes.io/instance': 'media',
      'app.kubernetes.io/component': component,
    });
    assert.equal(rule.podSelector.matchLabels, labelsOf(part));
    assert.equal(rule.policyTypes, ['Ingress', 'Egress']);
    assert.not('egress' in rule, 'nothing may go out');
    const [work, metrics] = rule.ingress;
    assert.equal(
      work?.ports.map(({ port }) => port),
      ports,
    );
    assert.equal(
      work?.from,
      ['api', 'worker'].map((from) => ({ podSelector: { matchLabels: labelsOf(from) } })),
    );
    for (const { port } of metrics?.ports ?? []) assert.is(port, 'metrics');
  }
});

test('where traces have a collector Triton is told so, and reaches what the operator names', () => {
  const told = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=media',
  };
  const tritonEgress = [{ ports: [{ port: 4318 }] }];
  const all = resources({ config: told, networkPolicy: { tritonEgress } });
  const { env } = podOf(find(all, 'Deployment', 'enhance-triton')).container;
  for (const [name, value] of Object.entries(told))
    assert.is(env.find((one) => one.name === name)?.value, value);
  const { egress } = z
    .looseObject({ egress: z.unknown() })
    .parse(find(all, 'NetworkPolicy', 'enhance-triton').spec);
  assert.equal(egress, tritonEgress);
});

test('every label by which pods are chosen is a label of the pods', () => {
  for (const values of Object.values(choices)) {
    const all = resources(values);
    const Selecting = z.looseObject({
      selector: z.looseObject({ matchLabels: z.record(z.string(), z.string()) }),
      template: z.looseObject({
        metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      }),
    });
    for (const { spec } of all.filter(({ spec }) => spec?.template)) {
      const { selector, template } = Selecting.parse(spec);
      for (const [name, value] of Object.entries(selector.matchLabels))
        assert.is(template.metadata.labels[name], value);
    }
  }
});

test('KEDA asks for a metric that the API has, in all states that a worker has to work on', async () => {
  const Spec = z.looseObject({
    triggers: z.tuple([z.looseObject({ metadata: z.record(z.string(), z.string()) })]),
  });
  const { spec } = find(resources(everything), 'ScaledObject', 'enhance-worker');
  const { query = '', threshold } = Spec.parse(spec).triggers[0].metadata;
  const [, metric = '', states = ''] =
    /\((\w+)\{namespace="n",status=~"([\w|]+)"\}/.exec(query) ?? [];
  const { registry } = createMetrics();
  measureState(registry, {
    jobs: {
      counts: async () => ({ queued: 3, processing: 2 }),
      oldestQueuedAtMs: async () => null,
    },
    ledger: {
      totals: async () => ({
        credits: { granted: 0, withdrawn: 0, held: 0, captured: 0, released: 0 },
        jobs: { succeeded: 0, failed: 0, canceled: 0 },
        workersLost: 0,
      }),
      heldNow: async () => 0,
    },
  });
  const told = await registry.getSingleMetricAsString(metric);
  for (const state of ['queued', 'processing']) {
    assert.ok(states.split('|').includes(state), query);
    assert.match(told, `${metric}{status="${state}"}`);
  }
  assert.is(threshold, '2');
});

test('GPUs are asked for where they are on, and TensorRT has a place for what it compiled', () => {
  const { container } = podOf(find(resources(onS3WithGpu), 'Deployment', 'enhance-triton'));
  assert.is(container.resources.limits['nvidia.com/gpu'], 2);
  assert.ok(container.volumeMounts.some(({ mountPath }) => mountPath === '/app/weights/tensorrt'));
  const cpu = podOf(find(resources({}), 'Deployment', 'enhance-triton')).container;
  assert.not('nvidia.com/gpu' in cpu.resources.limits);
});

test('the chart has the version of the service', () => {
  const Versions = z.looseObject({ version: z.string() });
  const own = Versions.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const { appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  assert.is(appVersion, own.version);
});

test.run();
