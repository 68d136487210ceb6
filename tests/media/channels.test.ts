import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSurround, remapOf } from '../../src/media/channels.ts';

const test = suite('channels');

test('only a layout that cannot be mixed or encoded gets a filter', () => {
  const inOrder = 'channelmap=0|1:stereo';
  for (const [channels, layout, filter] of [
    [1, 'mono', undefined],
    [2, 'stereo', undefined],
    [2, undefined, undefined],
    [4, 'unknown', undefined],
    [6, '5.1(side)', undefined],
    [8, '7.1', undefined],
    [2, '2 channels (FL+FC)', inOrder],
    [2, 'binaural', inOrder],
    [3, '3 channels (FL+BL+BR)', 'channelmap=0|1|2:3.0'],
    [16, 'unknown', inOrder],
    [12, '7.1.4', 'aformat=channel_layouts=7.1|5.1|stereo'],
  ] as const)
    assert.is(remapOf(channels, layout), filter, `${layout}`);
});

test('PCM has loudspeakers only where the file names them; codecs always do', () => {
  for (const [channels, codec, layout, surround] of [
    [2, 'aac', 'stereo', false],
    [6, 'ac3', undefined, true],
    [6, 'aac', 'unknown', true],
    [3, 'pcm_s16le', '3.0', true],
    [12, 'pcm_s16le', '7.1.4', true],
    [4, 'pcm_s24le', 'unknown', false],
    [4, 'pcm_s24le', undefined, false],
    [4, 'pcm_s24le', '4 channels (FL+FR+FC+BL)', false],
  ] as const)
    assert.is(isSurround(channels, codec, layout), surround, `${codec} ${layout}`);
});

test.run();
