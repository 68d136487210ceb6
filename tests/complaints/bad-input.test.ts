/** A refusal has an error, costs nothing and leaves nothing on the disk; after all refusals, good media are still processed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { type Form, realService } from '../real/service.ts';
import { cat, portrait, talkingHead } from '../real/talking.ts';
import { until } from '../real/until.ts';

const test = suite('bad input for lip sync');
const dir = tempDir('bad-input');
const at = (name: string) => join(dir, name);
const service = await realService();
const caller = await service.caller(1000);

const mono = ['-ac', '1', '-ar', '16000'];
const sound = await makeClip(at('sound.wav'), tone(0.4), mono);
const clip = await talkingHead(at('clip.mp4'), 0.4);
const still = (picture: string, name: string, filters: string) =>
  makeClip(
    at(name),
    ['-loop', '1', '-framerate', '25', '-i', picture, '-t', '0.4'],
    ['-vf', filters, ...h264],
  );
const gone = "drawbox=x=0:y=0:w=480:h=480:color=gray:t=fill:enable='gte(n,6)'";

/** The file with nonsense in place of what lies behind its header. */
const torn = (name: string, source: string, from: number): string => {
  const bytes = readFileSync(source);
  writeFileSync(at(name), bytes.fill(0x5a, Math.round(bytes.length * from), bytes.length - 2000));
  return at(name);
};
/** The index first, so that the header is whole. */
const indexed = await talkingHead(
  at('indexed.mp4'),
  1,
  '480x480',
  [],
  [...h264, '-movflags', '+faststart'],
);

const rows: readonly [
  says: string,
  video: string,
  answer: string,
  detail: RegExp,
  fields?: Form,
][] = [
  [
    'a clip without a face',
    await makeClip(at('none.mp4'), pattern(0.4, 25, '320x240'), h264),
    '422 no_face_detected',
    /at least .*64 pixels/,
  ],
  ['a portrait of an animal', cat, '422 no_face_detected', /face/],
  [
    'a clip of an animal',
    await still(cat, 'cat.mp4', 'scale=450:300'),
    '422 no_face_detected',
    /face/,
  ],
  [
    'a face that is too small',
    await still(portrait, 'small.mp4', 'scale=52:52'),
    '422 no_face_detected',
    /at least .*64 pixels/,
  ],
  [
    'a portrait that is too small',
    await makeClip(at('tiny.png'), ['-i', portrait], ['-vf', 'scale=56:56', '-frames:v', '1']),
    '422 no_face_detected',
    /at least .*64 pixels/,
  ],
  [
    'a face that leaves, where that is not wanted',
    await talkingHead(at('leaves.mp4'), 0.4, '480x480', [gone]),
    '422 no_face_detected',
    /found none in frame 6\./,
    { options: '{"on_no_face":"fail"}' },
  ],
  [
    'a clip of nonsense behind its header',
    torn('torn.mp4', indexed, 0.3),
    '422 media_unreadable',
    /decoded/,
  ],
];

for (const [says, video, answer, detail, fields] of rows)
  test(`${says} is ${answer}`, async () => {
    const before = await caller.balance();
    const { status, data } = await caller.lipsync(video, sound, fields);
    assert.is(`${status} ${data.code}`, answer, JSON.stringify(data));
    assert.match(data.detail, detail);
    assert.is(data.charged, 0);
    assert.equal(await caller.balance(), before);
    await until('no file is left', () => filesLeft().length === 0);
  });

test('after all this a good clip is done, and the account is clean', async () => {
  const { status, data } = await caller.lipsync(clip, sound);
  assert.is(status, 200, JSON.stringify(data));
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

function filesLeft(): string[] {
  return ['incoming', 'inputs', 'attempts', 'results'].flatMap((name) => {
    const folder = join(service.config.files.dir, name);
    return existsSync(folder) ? readdirSync(folder) : [];
  });
}

test.after(service.close);
test.run();
