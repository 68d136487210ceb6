/** The Helm chart as the cluster would get it: rendered by the real Helm. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { places, root } from '../../src/stack/home.mjs';
import { tempDir } from '../real/run.ts';

export const chart = join(root, 'deploy/helm/enhance');

/** What an operator has to say; there is no default. */
export const least = { publicUrl: 'https://media.example', secrets: { existingSecret: 'own' } };

const Mount = z.looseObject({ name: z.string(), mountPath: z.string() });
const Container = z.looseObject({
  command: z.array(z.string()),
  securityContext: z.unknown(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  resources: z.looseObject({ limits: z.record(z.string(), z.unknown()) }),
  volumeMounts: z.array(Mount).default([]),
});
const Pod = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  securityContext: z.record(z.string(), z.unknown()),
  terminationGracePeriodSeconds: z.number(),
  containers: z.tuple([Container]),
});
const Resource = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  data: z.record(z.string(), z.string()).optional(),
  spec: z.looseObject({ template: z.looseObject({ spec: Pod }).optional() }).optional(),
});
type Resource = z.infer<typeof Resource>;

const helm = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(places.helm, words, { encoding: 'utf8' });
  return { ok: status === 0, stdout, stderr };
};

const valuesFile = (values: object): string => {
  const path = join(tempDir('values'), 'values.json');
  writeFileSync(path, JSON.stringify(values));
  return path;
};

/** Helm's own check of the chart with these values. */
export const lint = (values: object) =>
  helm('lint', chart, '--strict', '--values', valuesFile(values));

const rendered = new Map<string, ReturnType<typeof helm>>();

/** All that is made with these values, or why Helm refuses them. */
export const render = (values: object) => {
  const key = JSON.stringify(values);
  const words = ['template', 'media', chart, '--namespace', 'n', '--values', valuesFile(values)];
  const result = rendered.get(key) ?? helm(...words);
  rendered.set(key, result);
  return result;
};

/** Throws an Error that says why Helm refuses the values. */
export const resources = (values: object): readonly Resource[] => {
  const { ok, stdout, stderr } = render({ ...least, ...values });
  if (!ok) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => Resource.parse(document.toJS()));
};

export const find = (all: readonly Resource[], kind: string, name: string): Resource => {
  const found = all.find((one) => one.kind === kind && one.metadata.name === `media-${name}`);
  if (!found) throw new Error(`there is no ${kind} media-${name}`);
  return found;
};

/** The pod of a Deployment or StatefulSet, and its one container. */
export const podOf = (resource: Resource) => {
  const pod = Pod.parse(resource.spec?.template?.spec);
  return { pod, container: pod.containers[0] };
};

/** What the schemas of this release of Kubernetes find, with names that they do not know counted as faults. */
export const faultsIn = (text: string, release: string): string[] => {
  const path = join(tempDir('rendered'), 'rendered.yaml');
  writeFileSync(path, text);
  const words = ['-m', 'kubernetes_validate', '--strict', '--quiet', '-k', release, path];
  const { stdout, stderr, error } = spawnSync(places.python, words, { encoding: 'utf8' });
  if (error || stderr) throw new Error(stderr, { cause: error });
  return stdout.split('\n').filter(Boolean);
};

const optional = ['METRICS_TOKEN', 'ADMIN_KEY'];
/** Every part that can be switched on. */
export const everything = {
  publicUrl: 'https://media.example',
  secrets: { existingSecret: 'own', optional },
  keda: { enabled: true, prometheusUrl: 'http://prometheus:9090' },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  redis: { internal: { enabled: true } },
  provenance: { certificateSecret: 'signer' },
  ingress: { enabled: true, host: 'media.example', tlsSecret: 'tls' },
  networkPolicy: { restrictEgress: true, extraEgress: [{ to: [] }] },
  config: { ACCOUNT_QUEUED_BYTES: 10_737_418_240, LIPSYNC_CHUNK_SECONDS: 2.5, LOG_LEVEL: 'warn' },
};
export const onS3WithGpu = {
  ...least,
  secrets: { existingSecret: 'own', asFiles: true, optional },
  storage: {
    kind: 's3',
    s3: { bucket: 'media', publicEndpoint: 'https://files.example', credentialsSecret: 'bucket' },
  },
  triton: { replicas: 2, gpu: { enabled: true, count: 2 } },
  podDisruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
};

/** What has to look like what it is. */
const secrets: Readonly<Record<string, string>> = {
  PROVENANCE_CERTIFICATE: '-----BEGIN CERTIFICATE-----',
  PROVENANCE_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
};

/** What a container of the service reads, with the Secret's keys filled in. */
export const environmentOf = (values: object, part: 'api' | 'worker'): Record<string, string> => {
  const all = resources(values);
  const { container } = podOf(find(all, 'Deployment', `enhance-${part}`));
  const own = container.env.map(({ name, value }) => [
    name,
    value ?? secrets[name] ?? 's'.repeat(16),
  ]);
  return { ...find(all, 'ConfigMap', 'enhance').data, ...Object.fromEntries(own) };
};

const schemaFile = join(chart, 'values.schema.json');
const Schema = z.looseObject({
  properties: z.looseObject({
    config: z.looseObject({ propertyNames: z.object({ enum: z.array(z.string()) }) }),
  }),
});
const readSchema = () => Schema.parse(JSON.parse(readFileSync(schemaFile, 'utf8')));

/** The variables that values.schema.json lets an operator set. */
export const settable = (): string[] => readSchema().properties.config.propertyNames.enum;

export const writeSettable = (names: readonly string[]): void => {
  const schema = readSchema();
  schema.properties.config.propertyNames.enum = [...names];
  writeFileSync(schemaFile, `${JSON.stringify(schema, null, 2)}\n`);
};

/** The variables that the chart sets itself, whatever was chosen. */
export const setByChart = (): ReadonlySet<string> =>
  new Set(
    [
      { ...everything, config: {} },
      { ...onS3WithGpu, secrets: everything.secrets },
    ].flatMap((values) => Object.keys(environmentOf(values, 'api'))),
  );
