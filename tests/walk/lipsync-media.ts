/** Media of lip sync: every container, codec, size, depth and sound that is taken, over the service of the tests of durations. */
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { bannerOf, h264, makeClip, pattern, tone, turn } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import type { Caller } from '../real/service.ts';
import { syncing } from '../real/synced.ts';
import { portrait, talkingHead } from '../real/talking.ts';

/** Of a service with its own settings as they are; the caller has credits for all of it. */
export const mediaTests = async (test: Test, caller: Caller): Promise<void> => {
  const dir = tempDir('lipsync-media');
  const at = (name: string) => join(dir, name);
  const mono = ['-ac', '1', '-ar', '16000'];
  const sound = await makeClip(at('sound.wav'), tone(0.6), mono);
  /** 10 frames a second: fewer than usual, since most tests count them only. */
  const slow = ['fps=10'];
  const clip = await talkingHead(at('clip.mp4'), 0.6, '480x480', slow);

  const syncedWith = syncing(caller, dir);
  const synced = (video: string, audio = sound) => syncedWith(video, audio);

  const codecs: Readonly<Record<string, readonly string[]>> = {
    'clip.avi': ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'],
    'clip.webm': ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-deadline', 'realtime'],
    'clip.mkv': ['-c:v', 'libx264', '-bf', '3'],
    'clip.mov': ['-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', '-preset', 'ultrafast'],
  };
  for (const [name, codec] of Object.entries(codecs)) {
    test(`${name} becomes H.264 with sound in MP4, all its frames with a face`, async () => {
      const { result, output } = await synced(
        await talkingHead(at(name), 0.6, '480x480', slow, codec),
      );
      assert.equal([result.frames, result.frames_passed_through], [6, 0]);
      assert.match(await bannerOf(output), /Video: h264.*yuvj?420p.*480x480/);
      assert.match(await bannerOf(output), /Audio: aac/);
    });
  }

  test('a turned phone clip is shown upright and not turned twice', async () => {
    const lying = await talkingHead(at('lying.mp4'), 0.6, '480x400', [...slow, 'transpose=cclock']);
    const { result, output } = await synced(await turn(lying, at('turned.mp4')));
    assert.equal([result.input_size, result.output_size], ['480x400', '480x400']);
    assert.equal([result.faces_detected, result.frames_passed_through], [1, 0]);
    assert.not.match(await bannerOf(output), /rotation/);
  });

  test('an odd size grows by one and is told', async () => {
    const { result } = await synced(
      await talkingHead(at('odd.mp4'), 0.6, '479x401', slow, [
        '-c:v',
        'libx264',
        '-pix_fmt',
        'yuv444p',
      ]),
    );
    assert.equal([result.input_size, result.output_size], ['479x401', '480x402']);
    assert.is(result.warnings[0]?.code, 'odd_size_grown');
  });

  test('a sound whose end is missing is spoken as far as it goes, and the result tells', async () => {
    const cut = await makeClip(at('cut.wav'), tone(1.2), mono);
    truncateSync(cut, Math.floor(readFileSync(cut).length / 2));
    const { result } = await synced(clip, cut);
    assert.is(result.frames, 6);
    assert.is(result.warnings[0]?.code, 'sound_cut_short');
  });

  test('HDR of 10 bits stays HDR, and the result tells that it has 8', async () => {
    const tags = 'setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=arib-std-b67';
    const deep = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', '-preset', 'ultrafast'];
    const path = await talkingHead(at('hlg.mov'), 0.6, '480x480', [...slow, tags], deep);
    const { result, output } = await synced(path);
    assert.match(await bannerOf(output), /yuv420p\(tv, bt2020nc\/bt2020\/arib-std-b67/);
    const [warning] = result.warnings;
    assert.is(warning?.code, 'depth_reduced');
    assert.match(warning?.detail ?? '', /HDR \(HLG\) with 10 bits .* has 8/);
  });

  const lavfi = (filter: string) => ['-f', 'lavfi', '-i', filter];
  const sounds: [name: string, source: readonly string[], output: readonly string[]][] = [
    ['noise.wav', lavfi('anoisesrc=d=0.6:c=pink:a=0.3:seed=1'), mono],
    ['chord.mp3', lavfi("aevalsrc='0.2*(sin(880*t)+sin(1108*t)+sin(1318*t))':d=0.6"), []],
    ['telephone.flac', tone(0.6), ['-ac', '1', '-ar', '8000']],
    ['voice.opus', tone(0.6), ['-c:a', 'libopus']],
    ['a-mov-called.m4a', [...pattern(0.6), ...tone(0.6)], [...h264, '-c:a', 'aac', '-f', 'mov']],
  ];
  for (const [name, source, output] of sounds) {
    test(`${name} is a sound to be silent to, or to speak to`, async () => {
      const { result } = await synced(clip, await makeClip(at(name), source, output));
      assert.ok(result.frames >= 5 && result.frames <= 6, `${result.frames} frames`);
      assert.is(result.frames_passed_through, 0);
    });
  }

  test('a face that leaves is passed through and counted', async () => {
    const gone = await makeClip(
      at('gone.mp4'),
      [
        ...['-loop', '1', '-framerate', '25', '-t', '0.4', '-i', portrait],
        ...lavfi('color=c=teal:s=512x512:r=25:d=0.2'),
      ],
      [
        '-filter_complex',
        '[0]format=yuv420p,setsar=1[a];[1]format=yuv420p[b];[a][b]concat',
        ...h264,
      ],
    );
    const { result } = await synced(gone);
    assert.equal([result.frames, result.frames_passed_through], [15, 5]);
    assert.equal(
      result.warnings.map(({ code }: { code: string }) => code),
      ['no_speech_heard', 'frames_unchanged'],
    );
  });
};
