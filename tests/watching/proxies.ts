/** nginx and Caddy with the lines of docs/operate/production.md, in front of an API of a test. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { root } from '../../src/stack/home.mjs';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';

export const proxies = ['nginx', 'caddy'] as const;
type Proxy = (typeof proxies)[number];

/** WAIT_LIMIT_SECONDS in these tests: 2 s instead of 900. The page's 960 s are 5 s then, which leaves a busy machine 3. */
export const waitSeconds = 2;
const patienceSeconds = 5;

const page = readFileSync(join(root, 'docs/operate/production.md'), 'utf8');
export const snippetOf = (name: Proxy): string =>
  new RegExp(`\`\`\`${name}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

/** What is missing here; undefined when the proxy can run. */
export const missingFor = (name: Proxy): string | undefined =>
  [name === 'nginx' ? ['nginx', '-v'] : ['caddy', 'version'], ['openssl', 'version']]
    .find(([command = '', ...words]) => spawnSync(command, words).status !== 0)
    ?.at(0);

/** Starts it in front of the API on `apiPort`; answers its own port. */
export const openProxy = async (name: Proxy, apiPort: number) => {
  const [port = 0] = await freePorts(1);
  const folder = tempDir(name);
  const tls = certificate(folder);
  const lines = fitted(snippetOf(name), { port, apiPort, ...tls });
  const [command, words] = name === 'nginx' ? nginx(folder, lines) : caddy(folder, lines, port);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder };
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  process.once('exit', () => child.kill('SIGKILL'));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await until(`${name} answers or ends`, async () => isOver() || (await answers(port)));
  if (isOver()) throw new Error(`${name} ended: ${printed}`);
  return {
    port,
    close: async () => {
      if (isOver()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
      await ended;
      clearTimeout(late);
    },
  };
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    request({
      port,
      host: '127.0.0.1',
      path: '/healthz',
      rejectUnauthorized: false,
      servername: 'media.example.org',
      headers: { host: 'media.example.org' },
    })
      .on('response', ({ statusCode }) => resolve(statusCode === 200))
      .on('error', () => resolve(false))
      .end();
  });

const certificate = (folder: string) => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', '/CN=media.example.org', '-days', '2', '-keyout', key, '-out', cert],
      ...['-addext', 'subjectAltName=DNS:media.example.org'],
    ],
    { stdio: 'pipe' },
  );
  return { key, cert };
};

type Fit = {
  readonly port: number;
  readonly apiPort: number;
  readonly key: string;
  readonly cert: string;
};

/** The page's lines on this machine: its ports, its certificate, its shorter waits. Each change has to find its place. */
const fitted = (lines: string, { port, apiPort, key, cert }: Fit): string => {
  const isNginx = lines.includes('server_name');
  const changes: readonly (readonly [RegExp, string])[] = [
    [/127\.0\.0\.1:8080/, `127.0.0.1:${apiPort}`],
    ...(isNginx
      ? ([
          [/listen 443 /, `listen 127.0.0.1:${port} `],
          [/\S+fullchain\.pem/, cert],
          [/\S+privkey\.pem/, key],
        ] as const)
      : ([
          [
            /^media\.example\.org \{/,
            `https://media.example.org:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
          ],
        ] as const)),
  ];
  const placed = changes.reduce((text, [from, to]) => {
    if (!from.test(text)) throw new Error(`the page has no ${from}`);
    return text.replace(from, to);
  }, lines);
  return placed.replace(/\b960s\b/g, `${patienceSeconds}s`);
};

const nginx = (folder: string, lines: string): [string, string[]] => {
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
  const temporary = [
    'client_body_temp_path body',
    'proxy_temp_path proxy',
    'fastcgi_temp_path fastcgi',
    'uwsgi_temp_path uwsgi',
    'scgi_temp_path scgi',
  ];
  const main = [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off; pid nginx.pid; error_log stderr; worker_processes 1;',
    'events { worker_connections 128; }',
    `http { access_log off; ${temporary.map((one) => `${one};`).join(' ')}\n${lines}\n}`,
  ];
  writeFileSync(join(folder, 'nginx.conf'), main.join('\n'));
  return ['nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr']];
};

const caddy = (folder: string, lines: string, port: number): [string, string[]] => {
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n}\n`;
  writeFileSync(join(folder, 'Caddyfile'), `${options}${lines}`);
  return ['caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile']];
};
