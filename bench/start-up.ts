/**
 * What a start costs: programs through tsx and compiled, in turn. Each loads all that it needs and ends.
 * usage: node --import tsx bench/start-up.ts [rounds]
 */
import { spawnSync } from 'node:child_process';
import { compiled, nodeOptions } from '../src/stack/compiled.mjs';
import { root } from '../src/stack/home.mjs';

const rounds = Number(process.argv[2] ?? 5);
const tsx = ['--import', 'tsx'];
const starts: readonly (readonly [string, ...string[]])[] = [
  // A command that it does not know: it has loaded everything by then.
  ['service, tsx', ...tsx, 'src/main.ts', 'none'],
  ['service, compiled', ...nodeOptions, await compiled('main'), 'none'],
  ['enhance, tsx', ...tsx, 'src/cli/enhance.ts', '--version'],
  ['enhance, compiled', 'src/cli/bin.mjs', '--version'],
];

type Cost = { readonly wall: number; readonly cpu: number; readonly mb: number };

/** GNU time counts the process and the children that it waited for: s of wall and CPU, MB of resident memory at most. */
const costOf = (words: readonly string[]): Cost => {
  const { stderr } = spawnSync('time', ['-f', 'cost %e %U %S %M', process.execPath, ...words], {
    cwd: root,
    encoding: 'utf8',
  });
  const [wall = 0, user = 0, sys = 0, kb = 0] =
    /^cost (.*)$/m.exec(stderr)?.[1]?.split(' ').map(Number) ?? [];
  if (wall === 0) throw new Error(`time said nothing: ${stderr}`);
  return { wall, cpu: user + sys, mb: kb / 1024 };
};

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const costs = new Map<string, Cost[]>(starts.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round++)
  for (const [name, ...words] of starts) costs.get(name)?.push(costOf(words));
for (const [name, all] of costs) {
  const of = (key: keyof Cost) => median(all.map((cost) => cost[key]));
  console.log(
    `${name.padEnd(18)} ${of('wall').toFixed(2)} s, ${of('cpu').toFixed(2)} s of CPU, ${of('mb').toFixed(0)} MB`,
  );
}
