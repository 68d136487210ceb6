import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachLine, startChild } from '../../src/media/child.ts';
import { startFfmpeg } from '../../src/media/ffmpeg.ts';
import { testConfig } from '../real/config.ts';
import { soon } from './clips.ts';

const { ffmpeg, probing } = testConfig();

const test = suite('children');

/** Runs a line of shell as a child under such limits; tells its end and what it wrote. */
const run = async (line: string, changed: Partial<typeof ffmpeg> = {}) => {
  const lines: string[] = [];
  const onLine = (text: string | null) => void (text !== null && lines.push(text));
  const child = startChild(['/bin/sh', '-c', line], {
    limits: { ...ffmpeg, ...changed },
    signal: soon(),
    readDescriptor3: eachLine(onLine),
  });
  try {
    let written = '';
    for await (const chunk of child.stdout) written += chunk;
    return { ...(await child.ended()), lines, written };
  } finally {
    await child.stop();
  }
};

test('a child that takes more processor time than it may is ended, and that is said', async () => {
  const { exitCode, errorText } = await run('while :; do :; done', { cpuSeconds: 1 });
  assert.is(exitCode, null);
  assert.is(errorText, 'it takes more than 1 s of processor time');
});

test('a child has the limits that were set, and no core dump', async () => {
  const { written } = await run('ulimit -v; ulimit -t; ulimit -c', probing.ffmpeg);
  assert.equal(written.trim().split('\n'), [`${1536 * 1024}`, '60', '0']);
});

test('a child has an environment of three variables', async () => {
  process.env.OF_THE_SERVICE = 'a secret';
  const { written } = await run('env');
  const names = written
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  assert.not(names.includes('OF_THE_SERVICE'));
  const known = [
    'ENHANCE_RUN',
    'LC_ALL',
    'MALLOC_ARENA_MAX',
    'PATH',
    'PWD',
    'OLDPWD',
    'SHLVL',
    '_',
  ];
  assert.equal(
    names.filter((name) => !known.includes(name ?? '')),
    [],
  );
});

test('a line without end is cut, and the rest of it is not kept', async () => {
  const { lines } = await run("head -c 5000000 /dev/zero | tr '\\0' x >&3; echo >&3; echo end >&3");
  assert.equal(
    lines.map(({ length }) => length),
    [4096, 3],
  );
});

test('a program that is not there is an error of ours, not of a file', async () => {
  const away = startFfmpeg(['-version'], {
    ffmpeg: { ...ffmpeg, path: '/nowhere/ffmpeg' },
    signal: soon(),
  });
  try {
    await away.ended();
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /"\/nowhere\/ffmpeg" could not be started/);
  }
});

test.run();
