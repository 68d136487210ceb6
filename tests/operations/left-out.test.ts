import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_OTHERS, type OtherTracks } from '../../src/media/info.ts';
import { leftOutOfLipSync, leftOutOfVideo } from '../../src/operations/left-out.ts';
import { at, probe } from '../media/clips.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';

const test = suite('what is left out');
const video = (others: Partial<OtherTracks>) => ({
  kind: 'video' as const,
  others: { ...NO_OTHERS, ...others },
});
const subtitles = ['subrip', 'dvd_subtitle', 'mov_text', 'dvd_subtitle'].map((codec, index) => ({
  index,
  codec,
}));

test('who sends subtitles that are pictures is told that they are left out', () => {
  const [warning, ...more] = leftOutOfVideo(video({ subtitles, chapters: 2 }));
  assert.is(more.length, 0);
  assert.is(warning?.code, 'tracks_left_out');
  assert.match(warning?.detail ?? '', /left out: 2 subtitle tracks .*\(dvd_subtitle\)\.$/);
});

test('text that could not be read, further videos and unknown sounds are told as well', () => {
  const [unread] = leftOutOfVideo(video({ subtitles }), { unreadable: true });
  assert.match(unread?.detail ?? '', /, 2 subtitle tracks that could not be read\.$/);
  const [others] = leftOutOfVideo(video({ videos: 1, sounds: 1 }));
  assert.match(others?.detail ?? '', /1 sound track of an unknown codec, 1 further video track\.$/);
});

test('a lip sync leaves out all subtitles and chapters', () => {
  const [warning] = leftOutOfLipSync(video({ subtitles, chapters: 1 }));
  assert.is(warning?.code, 'tracks_left_out');
  assert.match(warning?.detail ?? '', /4 subtitle tracks, 1 chapter\.$/);
});

test('where nothing is lost there is no warning', () => {
  const text = video({ subtitles: [{ index: 0, codec: 'webvtt' }], chapters: 9 });
  assert.equal(leftOutOfVideo(text), []);
  assert.equal(leftOutOfLipSync(video({})), []);
  assert.equal(leftOutOfVideo({ kind: 'image' }), []);
  assert.equal(leftOutOfLipSync({ kind: 'image' }), []);
});

test('a probe counts further videos, and not the cover art', async () => {
  const two = await makeClip(
    at('two.mp4'),
    [...pattern(0.2), ...pattern(0.2, 10)],
    [...['-map', '0', '-map', '1', ...h264]],
  );
  assert.is((await probe(two)).others.videos, 1);
  const cover = [
    ...h264,
    '-c:v:1',
    'mjpeg',
    '-frames:v:1',
    '1',
    '-disposition:v:1',
    'attached_pic',
  ];
  const art = await makeClip(
    at('art.mp4'),
    [...pattern(0.2), ...pattern(0.2)],
    [...['-map', '0', '-map', '1', ...cover]],
  );
  assert.is((await probe(art)).others.videos, 0);
});

test.run();
