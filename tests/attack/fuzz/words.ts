/** Texts, names and values that parsers stumble over. */
import type { Random } from './random.ts';

/** Names that every object of JavaScript has already. */
export const inherited: readonly string[] = [
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__proto__'],
  ...['prototype', '__defineGetter__', 'toLocaleString', 'then', 'length', 'toJSON'],
];

const texts: readonly string[] = [
  ...['', ' ', '0', '-1', 'null', 'true', 'NaN', 'undefined', '[]', '{}', '"', "'", '\\', '%00'],
  ...['2', '2.0', ' 2 ', '0x2', '1e999', '-0', '9007199254740993', '٢', '²', '1_000', '+2'],
  ...['\u0000', '\u202e', '\ufeff', '\ud800', '😀', 'é', 'e\u0301', '\r\n', '\n\n', '\t', '\u2028'],
  ...['../../etc/passwd', '/etc/passwd', 'file:///etc/passwd', 'C:\\x', '%2e%2e%2f', '..', '.'],
  ...['<script>', '{{7*7}}', "' OR 1=1", '$(id)', '`id`', '|id', '%s%n', '*', 'a'],
  ...['photo@r1', 'PHOTO', 'photo ', 'photo\u0000', 'mp4', 'MP4', 'jpg', 'job_0', 'upl_0'],
  ...['{"a":', '[[[[', '{"__proto__":{"x":1}}', '{"mode":"auto"}', '[1,2', '{"boxes":[null]}'],
];

export const oddText = (random: Random, most = 20_000): string => {
  if (random.chance(0.7)) return random.pick(texts);
  if (random.chance(0.3)) return random.pick(inherited);
  return random
    .pick(['a', '(', '[', '\\', '"', ' ', 'é', '%', '{"a":', '😀', ';', ',', '='])
    .repeat(random.size(most));
};

export const oddName = (random: Random, most = 20_000): string =>
  random.chance(0.5) ? random.pick(inherited) : oddText(random, most);

export const oddNumber = (random: Random): number =>
  random.pick([
    ...[0, -0, -1, 1, 2, 3, 4, 8, 0.5, 2.000001, 1e21, 1e308, 5e-324, -1e308, 2 ** 31, 2 ** 32],
    ...[2 ** 53, 2 ** 53 + 2, -(2 ** 63), 8.64e15, 8.64e15 + 1, 1e15, 65_536, 100, 1_000_000_001],
  ]);

/** None of these leads off this machine: all are private, reserved, or no address at all. */
const urls: readonly string[] = [
  ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0/'],
  ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::]/', 'http://[fe80::1%25lo]/'],
  ...['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://192.168.0.1:22/'],
  ...['http://localhost/', 'http://localhost.:6379/', 'http://①②⑦.0.0.1/', 'http://127.0.0.1:0/'],
  ...[
    'http://user:pass@127.0.0.1/',
    'http://127.0.0.1#@x.invalid/',
    'http://x.invalid\\@127.0.0.1/',
  ],
  ...['https://127.0.0.1:1/', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'data:image/png;base64,AA'],
  ...['javascript:1', 'http://', 'http:///', 'http:127.0.0.1', '//127.0.0.1/', 'HTTP://127.0.0.1'],
  ...['gopher://127.0.0.1:6379/_x', 'http://127.0.0.1:99999/', 'http://a b/', 'http://%00/'],
  ...[
    'http://127.0.0.1/%0d%0aX: y',
    'concat:/etc/passwd',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
  ],
  ...[
    'http://127.0.0.1/v1/jobs/x/result?expires=1&signature=x',
    'job_0',
    'http://[',
    'http://[::1',
  ],
];

export const oddUrl = (random: Random): string =>
  random.chance(0.9)
    ? random.pick(urls)
    : `http://127.0.0.1/${random.pick(['a', '%', '../', '?'])}`.padEnd(random.size(50_000), 'a/');

/** A value of any type, as deep and as large as `room` allows. */
export const oddValue = (random: Random, room = 2000): unknown => {
  const kinds = [
    () => oddText(random, room),
    () => oddNumber(random),
    () => random.pick([null, true, false]),
    () => [],
    () => ({}),
    () => Array.from({ length: random.size(room) }, () => random.pick([null, 0, 'a', [], {}])),
    () => Object.fromEntries(Array.from({ length: random.size(room) }, (_, i) => [`k${i}`, i])),
    () => Object.fromEntries([[oddName(random, 100), oddText(random, 100)]]),
    () => nested(random, random.size(room)),
  ];
  return random.pick(kinds)();
};

/** Arrays or objects, one inside the other. */
const nested = (random: Random, depth: number): unknown => {
  let value: unknown = 1;
  const inObjects = random.chance(0.5);
  for (let i = 0; i < depth; i += 1) value = inObjects ? { a: value } : [value];
  return value;
};
