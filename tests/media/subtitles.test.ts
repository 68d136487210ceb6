/** Subtitles, chapters and metadata of a video, in the files that are made of its frames in one go and in parts. */
import { writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { VideoInfo } from '../../src/media/info.ts';
import { readMetadata } from '../../src/media/probe/metadata.ts';
import { decodeVideo } from '../../src/media/read/decode.ts';
import {
  encodePart,
  encodeVideo,
  joinVideo,
  type VideoSource,
} from '../../src/media/write/encode.ts';
import { writeSubtitles } from '../../src/media/write/subtitles.ts';
import { h264, makeClip, pattern, timesOf, tone } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { at, ffmpeg, probe, soon } from './clips.ts';

const test = suite('subtitles');

const english = '1\n00:00:01,000 --> 00:00:02,000\nHello <i>there</i>\n\n';
const german = '1\n00:00:00,500 --> 00:00:01,500\nGrüße 日本\nzweite Zeile\n\n';
const cues = [english, `${german}2\n00:00:02,600 --> 00:00:02,900\nSchluss\n\n`];
const chapters = [
  ['0', '1200', 'First'],
  ['1200', '3000', 'Zweites Kapitel'],
];
const listed = chapters.map(
  ([start, end, title]) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\ntitle=${title}\n`,
);
for (const [i, text] of cues.entries()) await writeFile(at(`${i}.srt`), text);
await writeFile(at('chapters.txt'), `;FFMETADATA1\n${listed.join('')}`);

/** Three seconds with a sound, two languages of subtitles and two chapters. */
const tracks = [
  ...[...pattern(3), ...tone(3), '-i', at('0.srt'), '-i', at('1.srt'), '-i', at('chapters.txt')],
  ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-map_chapters', '4'],
  ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger'],
];
const vp9 = ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-c:a', 'libopus', '-c:s', 'webvtt'];

/** The same file with all its subtitles that many seconds later. */
const later = (path: string, seconds: number, target: string) =>
  makeClip(
    target,
    ['-i', path, '-itsoffset', `${seconds}`, '-i', path],
    [...['-map', '0:v', '-map', '0:a', '-map', '1:s', '-c', 'copy', '-map_chapters', '0']],
  );

const toText = async (path: string, args: readonly string[]): Promise<string> => {
  const command = ['-v', 'error', '-i', path, ...args, '-'];
  return (await execa(ffmpegPath, command, { timeout: 30_000, stripFinalNewline: false })).stdout;
};
const subtitlesOf = (path: string, track: number) =>
  toText(path, ['-map', `0:s:${track}`, '-f', 'srt']);
const chaptersOf = async (path: string) => {
  const text = await toText(path, ['-f', 'ffmetadata']);
  return [...text.matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)\nEND=(\d+)\ntitle=(.*)/g)].map(
    ([, base, start, end, title]) => [
      ...[start, end].map((ticks) => ((1000 * Number(ticks)) / Number(base)).toFixed(0)),
      title,
    ],
  );
};
const languagesOf = async (path: string) =>
  (await execa(ffmpegPath, ['-i', path], { reject: false })).stderr.match(
    /\((\w+)\): Subtitle: mov_text/g,
  );

const rounded = (seconds: number): string => seconds.toFixed(4);

const sourceOf = async (path: string, info: VideoInfo): Promise<VideoSource> => {
  const subtitles = `${path}.subtitles`;
  assert.ok(await writeSubtitles({ path, info }, subtitles, { ffmpeg, signal: soon() }));
  return { path, info, subtitles };
};

const output = { quality: 100 };
const inOneGo = async (source: VideoSource): Promise<string> => {
  const target = `${source.path}.whole.mp4`;
  const frames = decodeVideo(source.path, source.info, { ffmpeg, signal: soon() });
  await encodeVideo(frames, { source, target, output, ffmpeg, signal: soon() });
  return target;
};
const inTwoParts = async (source: VideoSource): Promise<string> => {
  const { path, info } = source;
  const target = `${path}.joined.mp4`;
  const parts = [];
  for (const [from, to] of [
    [0, 40],
    [40, info.frames],
  ] as const) {
    const picked = async function* () {
      for await (const frame of decodeVideo(path, info, { ffmpeg, signal: soon() }))
        if (frame.index >= from && frame.index < to) yield frame;
    };
    const part = `${path}.${from}.mp4`;
    const options = { format: info, target: part, output, ffmpeg, signal: soon() };
    parts.push({ path: part, seconds: (await encodePart(picked(), options)).durationSeconds });
  }
  const start = info.startSeconds;
  await joinVideo(parts, { source, start, target, ffmpeg, signal: soon() });
  return target;
};

const clips: Readonly<Record<string, () => Promise<string>>> = {
  MP4: () => makeClip(at('a.mp4'), tracks, [...h264, '-c:s', 'mov_text']),
  MOV: () => makeClip(at('a.mov'), tracks, [...h264, '-c:s', 'mov_text']),
  WebM: () => makeClip(at('a.webm'), tracks, vp9),
  MKV: () => makeClip(at('a.mkv'), tracks, [...h264, '-c:s', 'subrip']),
};
for (const [format, make] of Object.entries(clips)) {
  test(`${format}: subtitles and chapters are there once, at their times, in their languages`, async () => {
    const path = await make();
    const info = await probe(path);
    assert.is(info.others.subtitles.length, 2);
    assert.is(info.others.chapters, 2);
    const source = await sourceOf(path, info);
    for (const target of [await inOneGo(source), await inTwoParts(source)]) {
      assert.equal(await languagesOf(target), [
        '(eng): Subtitle: mov_text',
        '(ger): Subtitle: mov_text',
      ]);
      for (const [track, text] of cues.entries())
        assert.is(
          await subtitlesOf(target, track),
          ['WebM', 'MKV'].includes(format) ? text : await subtitlesOf(path, track),
        );
      assert.equal(await chaptersOf(target), chapters);
      assert.equal((await timesOf(target)).map(rounded), (await timesOf(path)).map(rounded));
    }
  });
}

test('subtitles whose track begins later, as an edit list says, stay where they are', async () => {
  const made = await makeClip(at('b.mp4'), tracks, [...h264, '-c:s', 'mov_text']);
  const path = await later(made, 0.4, at('later.mp4'));
  assert.match(await subtitlesOf(path, 0), /00:00:01,400 --> 00:00:02,400/);
  const target = await inOneGo(await sourceOf(path, await probe(path)));
  assert.is(await subtitlesOf(target, 0), await subtitlesOf(path, 0));
});

test('a video without subtitles keeps its chapters', async () => {
  const path = await makeClip(at('c.mp4'), tracks, [...h264, '-an', '-sn']);
  const info = await probe(path);
  const target = await inOneGo({ path, info });
  assert.equal(await chaptersOf(target), chapters);
});

test('chapters that state no end last until the next, and the last one until the end', async () => {
  // Without titles there is no track of chapters: they stand in a list that has their beginnings alone.
  const untitled = listed.map((chapter) => chapter.replace(/title=.*\n/, ''));
  await writeFile(at('untitled.txt'), `;FFMETADATA1\n${untitled.join('')}`);
  const source = [...pattern(3), '-i', at('untitled.txt'), '-map', '0', '-map_chapters', '1'];
  const path = await makeClip(at('untitled.mp4'), source, [...h264, '-movie_timescale', '1000']);
  const target = await inOneGo({ path, info: await probe(path) });
  const { stderr } = await execa(ffmpegPath, ['-i', target], { reject: false });
  assert.match(stderr, /Chapter #0:0: start 0\.0+, end 1\.20*\n/);
  assert.match(stderr, /Chapter #0:1: start 1\.20*, end 3\.0+\n/);
});

/** Tags of the file, without those of its format and its writer. */
const tagsOf = async (path: string): Promise<string[]> => {
  const { stderr } = await execa(ffmpegPath, ['-i', path], { reject: false });
  const head = stderr.split('Duration:')[0] ?? '';
  return [...head.matchAll(/^ {4}(\w+) *: (.*)$/gm)]
    .map(([, key, value]) => `${key}=${value}`)
    .filter((tag) => !/^(?:encoder|\w+_brands?|minor_version)=/.test(tag));
};

test('metadata of a video are left out, and kept where they are asked for', async () => {
  const made = { title: 'Grüße', comment: 'a note', creation_time: '2021-05-06T07:08:09.000000Z' };
  const place = '+48.1372+011.5756+520/';
  // Keys of QuickTime replace the texts, so the second file has the place alone.
  const files = {
    'm.mp4': [{ ...made, location: place }, []],
    'm.mov': [
      { creation_time: made.creation_time, 'com.apple.quicktime.location.ISO6709': place },
      ['-movflags', 'use_metadata_tags'],
    ],
  } as const;
  const kept = [`creation_time=${made.creation_time}`, 'location=+48.1372+011.5756+520.000000/'];
  for (const [name, [tags, flags]] of Object.entries(files)) {
    const given = Object.entries(tags).flatMap(([key, value]) => ['-metadata', `${key}=${value}`]);
    const inputs = [...pattern(2), ...tone(2)];
    const path = await makeClip(at(name), inputs, [...h264, ...given, ...flags]);
    const source = { path, info: await probe(path) };
    const metadata = await readMetadata(source, { ffmpeg, signal: soon() });
    assert.equal(await tagsOf(await inOneGo(source)), []);
    const texts = name === 'm.mp4' ? ['comment=a note', 'title=Grüße'] : [];
    for (const target of [
      await inOneGo({ ...source, metadata }),
      await inTwoParts({ ...source, metadata }),
    ]) {
      const found = await tagsOf(target);
      for (const tag of [...kept, ...texts])
        assert.ok(found.includes(tag), `${name}: ${tag}; ${found}`);
    }
  }
});

test('what ends behind the video does not lengthen the result by more than a second', async () => {
  const path = await makeClip(at('d.mp4'), tracks, [...h264, '-c:s', 'mov_text', '-t', '1.5']);
  const late = await later(path, 30, at('behind.mp4'));
  const target = await inOneGo(await sourceOf(late, await probe(late)));
  const { stderr } = await execa(ffmpegPath, ['-i', target], { reject: false });
  const [, seconds] = /Duration: 00:00:([\d.]+)/.exec(stderr) ?? [];
  assert.ok(Number(seconds) <= 2.5, `${seconds} s`);
});

test('subtitles that cannot be read are left out, and no failure', async () => {
  const made = await makeClip(at('e.mp4'), tracks, [...h264, '-c:s', 'mov_text']);
  const info = await probe(made);
  const lost = { ...info, others: { ...info.others, subtitles: [{ index: 7, codec: 'subrip' }] } };
  const options = { ffmpeg, signal: soon() };
  assert.is(await writeSubtitles({ path: made, info: lost }, at('none.mp4'), options), false);
});

test.run();
