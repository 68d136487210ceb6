/** The page at `/`, made of `web/` once when the API starts, so that no build output has to be kept in step. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build, type Metafile, stop } from 'esbuild';

/** A file of the page as it is sent. */
export type Asset = {
  readonly type: string;
  readonly etag: string;
  /** By the name of the encoding; `identity` is the file itself. JPEG and MP3 have no other, as they are compressed. */
  readonly bodies: Readonly<Record<string, Buffer>>;
};

export type Page = {
  readonly html: Asset;
  /** By a name that holds a hash of the content, such as "main-X3FQ2A.js". */
  readonly assets: ReadonlyMap<string, Asset>;
};

const web = fileURLToPath(new URL('../../../web', import.meta.url));
const entryPoints = ['main.ts', 'style.css', 'icon.svg', 'sample.jpg', 'sample.mp3'];
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  jpg: 'image/jpeg',
  mp3: 'audio/mpeg',
};

export const bundlePage = async (): Promise<Page> => {
  const { files, preloaded } = await bundled();
  const assets = await Promise.all(
    files.map(async ({ name, content }) => [name, await assetOf(name, content)] as const),
  );
  const source = await readFile(join(web, 'index.html'), 'utf8');
  // "assets/main.js" in the HTML becomes "assets/main-HASH.js".
  const named = files.reduce(
    (text, { name }) =>
      text.replaceAll(`assets/${name.replace(/-\w+(\.\w+)$/, '$1')}`, `assets/${name}`),
    source,
  );
  const links = preloaded.map((name) => `<link rel="modulepreload" href="assets/${name}">`);
  const html = named.replace('</head>', `${links.join('')}</head>`);
  return { html: await assetOf('index.html', Buffer.from(html)), assets: new Map(assets) };
};

const bundled = async () => {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: entryPoints.map((name) => join(web, name)),
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      charset: 'utf8',
      loader: { '.svg': 'copy', '.jpg': 'copy', '.mp3': 'copy' },
      entryNames: '[name]-[hash]',
      // The admin tab is a file of its own, loaded when it is opened.
      splitting: true,
      chunkNames: '[name]-[hash]',
      outdir: web,
      write: false,
      logLevel: 'silent',
      metafile: true,
    });
    const files = outputFiles.map(({ path, contents }) => ({
      name: basename(path),
      content: Buffer.from(contents),
    }));
    return { files, preloaded: neededBy('main.ts', metafile) };
  } finally {
    await stop(); // its process would stay as long as ours
  }
};

/** The scripts that have to be there before the one made of `entry` begins; a browser would learn of them from it only. */
const neededBy = (entry: string, { outputs }: Metafile): string[] => {
  const needed = (path: string): string[] =>
    (outputs[path]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(({ path }) => [path, ...needed(path)]);
  const first = Object.keys(outputs).find(
    (path) => basename(outputs[path]?.entryPoint ?? '') === entry,
  );
  if (first === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return [...new Set(needed(first))].map((path) => basename(path));
};

const assetOf = async (name: string, identity: Buffer): Promise<Asset> => {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return {
    type: types[ending] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    bodies: ['jpg', 'mp3'].includes(ending)
      ? { identity }
      : { identity, ...(await compressed(identity)) },
  };
};

const compressed = async (content: Buffer) => {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(content),
    promisify(gzip)(content),
  ]);
  return { br, gzip: zipped };
};
