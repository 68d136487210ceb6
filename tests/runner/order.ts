/** The order of a run: the longest files and folders first, so that none of them is left alone at its end. */
import { dirname, join } from 'node:path';
import { root } from '../../src/stack/home.mjs';

/** Those of more than 10 s on two idle cores, the longest first. */
const longest = [
  ...['walk/durations', 'stack/start', 'walk/long-clips', 'faults/killed', 'walk/releases'],
  ...['faults/starved', 'attack/drain', 'web/playground', 'walk/neural', 'walk/provenance'],
  ...['complaints/edges', 'attack/stub', 'complaints/sharp', 'cli/usage'],
  ...['walk/killed-decoders', 'guides/guides', 'operations/lip-sync/run', 'walk/shared-video'],
  ...['attack/schemathesis', 'complaints/stylised', 'complaints/timing', 'cli/jobs'],
  ...['complaints/away', 'complaints/silence', 'operations/lip-sync/speakers'],
  ...['contract/generators', 'provenance/sign', 'attack/idempotency-lock'],
  ...['watching/walk', 'storage/s3-service', 'media/video', 'media/sound', 'walk/videos'],
  ...['walk/faults', 'walk/images', 'jobs/recovery', 'storage/s3', 'http/redis-down'],
  ...['models/releases', 'models/check', 'models/catalogue', 'attack/fuzz'],
].map((name) => join(root, 'tests', `${name}.test.ts`));

/** The folders whose short files take longest together (20 s to 200 s), the longest first: in other orders one was left at the end. */
const longestFolders = [
  ...['attack', 'media', 'triton', 'http', 'operations/upscale', 'stack', 'complaints', 'jobs'],
  ...['watching', 'webhooks', 'operations/lip-sync'],
].map((name) => join(root, 'tests', name));

/** So many short files of one folder share a process: each process first loads what they test, for half a second or more. */
const mostTogether = 10;

/** What each process of a run runs, the longest first. */
export const inGroups = (files: readonly string[]): string[][] => {
  const short = files.filter((file) => !longest.includes(file));
  const folders = new Set(short.map((file) => dirname(file)));
  const missing = [
    ...longest.filter((file) => !files.includes(file)),
    ...longestFolders.filter((folder) => !folders.has(folder)),
  ];
  if (missing.length) throw new Error(`tests/runner/order.ts names no test: ${missing}`);
  const inFolders = [...new Set([...longestFolders, ...folders])].map((folder) =>
    short.filter((file) => dirname(file) === folder),
  );
  return [...longest.map((file) => [file]), ...inFolders.flatMap(cut)];
};

const cut = (files: readonly string[]): string[][] =>
  files.length > 0 ? [files.slice(0, mostTogether), ...cut(files.slice(mostTogether))] : [];
