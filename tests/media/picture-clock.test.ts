/** The lines in which ffmpeg tells the times of pictures, from release 5 to 9. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PictureClock } from '../../src/media/read/picture-clock.ts';

const test = suite('picture clock');
const clock = (...lines: string[]) => {
  const told = new PictureClock({ timeBase: { num: 1, den: 1000 }, fps: 25 });
  for (const line of lines) told.read(line);
  told.read(null);
  return told;
};

test('times are told in ticks, whatever else a release writes behind them', async () => {
  const told = clock(
    'frame:0    pts:-7      pts_time:-0.007',
    't=1',
    'frame:1    pts:33 pts_time:0.033',
  );
  assert.equal([await told.next(), await told.next(), await told.next()], [-0.007, 0.033, null]);
});

test('a picture without a time comes one frame later, one that goes back a tick later', async () => {
  const told = clock(
    'frame:0    pts:NOPTS   pts_time:NOPTS',
    'frame:1    pts:NOPTS   pts_time:NOPTS',
    'frame:2    pts:40      pts_time:0.04',
  );
  assert.equal([await told.next(), await told.next(), await told.next()], [0, 0.04, 0.041]);
});

test('other lines tell of no picture', async () => {
  for (const line of ['', 't=1', 't=frame:0 pts:5 ', ' frame:0    pts:5       pts_time:5']) {
    assert.is(await clock(line).next(), null);
  }
});

test.run();
