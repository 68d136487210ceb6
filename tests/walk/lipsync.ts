/** Lip sync over HTTP, over the service of the tests of content credentials. */
import { join } from 'node:path';
import { execa } from 'execa';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { bannerOf, makeClip, timesOf } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { likeness } from '../real/likeness.ts';
import { tempDir } from '../real/run.ts';
import type { Caller, RealService } from '../real/service.ts';
import { skip } from '../real/skip.ts';
import { sounds } from '../real/sounds.ts';
import { syncing } from '../real/synced.ts';
import { hasVoice, portrait, spoken, talkingHead } from '../real/talking.ts';

/** Of a service that signs; the caller has credits for all of it. */
export const lipsyncTests = async (
  test: Test,
  service: RealService,
  caller: Caller,
): Promise<void> => {
  const dir = tempDir('lipsync');
  const at = (name: string) => join(dir, name);
  const voiced = await hasVoice();
  const withVoice = (name: string, run: () => Promise<void>) =>
    voiced ? test(name, run) : skip(test, name, 'ffmpeg with flite');

  const clip = await talkingHead(at('clip.mp4'), 3);
  const voice = voiced ? await spoken(at('voice.wav'), 2) : '';
  const silence = await makeClip(
    at('silence.wav'),
    ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono'],
    ['-t', '1'],
  );

  const synced = syncing(caller, dir);

  withVoice('a clip says what the sound says, at its own size and times', async () => {
    const { result, output } = await synced(clip, voice);
    assert.equal([result.input_size, result.output_size], ['480x480', '480x480']);
    assert.equal([result.faces_detected, result.frames_passed_through], [1, 0]);
    assert.equal([result.frames, result.fps, result.credits_used], [50, 25, 2]);
    assert.ok(Math.abs(result.duration_seconds - 2) <= 0.04, `${result.duration_seconds}`);
    assert.match(
      result.model_version,
      /^face_track-r\d+\+speech-r\d+\+mouth_plan-r\d+\+mouth_render_fast-r\d+$/,
    );
    assert.ok(result.sync.correlation !== null && result.sync.lag_ms !== null);
    assert.equal(result.warnings, []);
    const banner = await bannerOf(output);
    assert.match(banner, /Video: h264.*480x480/);
    assert.match(banner, /Audio: aac/);
    const [was, is] = [await timesOf(clip), await timesOf(output)];
    assert.is(is.length, 50);
    for (const [i, time] of is.entries()) {
      assert.ok(Math.abs(time - (was[i] ?? -1)) < 1e-4, `${time} at ${i}`);
    }
  });

  withVoice('the same again is free, and the link leads to the same bytes', async () => {
    const { data } = await caller.lipsync(clip, voice, { sync_mode: 'cut_off' });
    assert.equal([data.cached, data.credits_used, data.faces_detected], [true, 0, 1]);
  });

  withVoice('a portrait speaks as long as there is sound', async () => {
    const { result, output } = await synced(portrait, voice);
    assert.ok(Math.abs(result.duration_seconds - 2) <= 0.04, `${result.duration_seconds}`);
    assert.equal([result.output_size, result.faces_detected], ['512x512', 1]);
    assert.match(result.model_version, /\+head_motion-r\d+\+portrait_motion-r\d+$/);
    assert.is((await timesOf(output)).length, result.frames);
    const still = await synced(portrait, voice, { options: '{"motion":false}' });
    assert.is.not(still.result.sha256, result.sha256);
  });

  test('what stands behind a portrait stays where it is while the head moves', async () => {
    const bars = [118, 126, 134].map((x) => `drawbox=x=${x}:y=20:w=3:h=130:color=black:t=fill`);
    const picture = at('bars.png');
    const babble = await sounds.babble(at('babble.wav'), 1);
    await execa(ffmpegPath, ['-i', portrait, '-vf', bars.join(','), '-frames:v', '1', picture]);
    const { output: moved } = await synced(picture, babble);
    const { output: still } = await synced(picture, babble, { options: '{"motion":false}' });
    const beside = await likeness(moved, still, '28:100:112:40');
    const face = await likeness(moved, still, '60:40:195:80');
    assert.ok(beside > 30 && face < 30, `${beside} dB beside the head, ${face} dB in the face`);
  });

  test('the face beside a portrait that speaks stays as it is', async () => {
    const picture = at('two.png');
    const halves = 'crop=110:300:169:0,split[a][b];[b]hflip[c];[a][c]hstack';
    const babble = await sounds.babble(at('beside.wav'), 2);
    await execa(ffmpegPath, ['-i', portrait, '-vf', halves, '-frames:v', '1', picture]);
    const speaker = JSON.stringify({ frame: 0, x: 55, y: 110 });
    const { result, output: moved } = await synced(picture, babble, { speaker });
    const { output: still } = await synced(picture, babble, {
      speaker,
      options: '{"motion":false}',
    });
    const beside = await likeness(moved, still, '26:50:132:80');
    const face = await likeness(moved, still, '60:60:25:70');
    assert.is(result.faces_detected, 2);
    assert.ok(beside > 38 && face < 30, `${beside} dB beside the speaker, ${face} dB in the face`);
  });

  test('silence is accepted, and its sync is not known', async () => {
    const { result } = await synced(clip, silence);
    assert.equal(result.sync, { correlation: null, lag_ms: null });
    assert.is(result.frames, 25);
  });

  test('a speaker where no face is, is not found', async () => {
    const speaker = JSON.stringify({ frame: 0, x: 5, y: 470 });
    const before = await caller.balance();
    const { status, data } = await caller.lipsync(clip, silence, { speaker });
    assert.equal([status, data.code, data.charged], [422, 'speaker_not_found', 0]);
    assert.equal(await caller.balance(), before);
  });

  test('every account is clean after all this', async () => {
    const { clean, differences } = await service.audit(caller.account);
    assert.ok(clean, differences.join('\n'));
  });
};
