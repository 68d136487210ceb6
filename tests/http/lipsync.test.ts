import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jobSchema } from '../../src/contract/job.ts';
import { lipSync } from '../../src/operations/lip-sync/lip-sync.ts';
import { LipsyncInput, LipsyncJobOptions } from '../../src/operations/lip-sync/request.ts';
import { serve } from '../media/server.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const LipsyncJob = jobSchema(lipSync);
const test = suite('POST /v1/lipsync up to the job');
const folder = tempDir('lipsync');
const at = (name: string): string => join(folder, name);
const media = await serve((request, answer) => answer.end(readFileSync(at(request.url ?? ''))));
const urlOf = (name: string) => `${media.origin}/${name}`;
const api = await realApi({
  FETCH_ALLOW_HOSTS: `127.0.0.1:${media.port}`,
  RATE_CREATE_PER_MINUTE: '10000',
  ACCOUNT_QUEUED_LIMIT: '6',
  VIDEO_MAX_LONG_SIDE: '400',
  VIDEO_MAX_SHORT_SIDE: '300',
  AUDIO_MAX_BYTES: '2000000',
  IMAGE_MAX_PIXELS: '250000',
  LIPSYNC_MAX_SECONDS: '70',
});
const caller = await api.caller();
const { http } = caller;

const made = (name: string, source: readonly string[], output: readonly string[] = []) =>
  makeClip(at(name), source, output);
const mono8k = ['-ac', '1', '-ar', '8000'];
const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a86' } });
writeFileSync(at('words.srt'), '1\n00:00:00,000 --> 00:00:01,000\nla la\n');
await Promise.all([
  made('words.mp4', ['-i', at('words.srt')], ['-c:s', 'mov_text']),
  made('noise.m4a', tone(1), ['-c:a', 'aac', '-bsf:a', 'noise=amount=1']),
  made('clip.mp4', pattern(2), h264),
  made('many.mp4', pattern(0.2, 500), h264),
  made('sounding.mp4', [...pattern(2), ...tone(2)], [...h264, '-c:a', 'aac']),
  made('wide.mp4', pattern(0.2, 25, '402x200'), h264),
  made('long.mp4', pattern(71, 1), h264),
  made('voice.wav', tone(3), mono8k),
  made('other.wav', tone(1), ['-ac', '6', '-ar', '96000']),
  made('voice.mp3', tone(1)),
  made('voice.m4a', tone(1)),
  made('voice.aac', tone(1)),
  made('voice.flac', tone(1)),
  made('sound-only.mp4', tone(1)),
  made('minute.wav', tone(61), mono8k),
  made('long.wav', tone(71), mono8k),
  made('large.wav', tone(11), ['-ac', '2', '-ar', '48000']),
  drawn(120, 161).png().toFile(at('portrait.png')),
  drawn(400, 600).jpeg().toFile(at('phone.jpg')),
  drawn(501, 500).jpeg().toFile(at('large.jpg')),
]);
const voice = readFileSync(at('voice.m4a'));
const cutOff = voice.subarray(0, Math.floor(voice.length / 2));
const still = Buffer.alloc(8 * 8 * 3, 40);
const other = Buffer.alloc(8 * 8 * 3, 200);
const animated = await sharp(Buffer.concat([still, other]), {
  raw: { width: 8, height: 16, channels: 3, pageHeight: 8 },
})
  .webp({ loop: 0, delay: [100, 100] })
  .toBuffer();

type Content = string | Uint8Array;
type Fields = Readonly<Record<string, string>>;
/** File parts hold bytes, or the file of that name; fields are text. */
const wanted = (parts: Readonly<Record<string, Content>>, fields: Fields = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'fast', ...fields }))
    form.append(name, value);
  for (const [name, content] of Object.entries(parts)) {
    const bytes = typeof content === 'string' ? readFileSync(at(content)) : content;
    form.append(name, new Blob([Uint8Array.from(bytes)]), 'a file');
  }
  return form;
};
const respondAsync = { prefer: 'respond-async' };
const post = (body: unknown, headers: Fields = respondAsync, by = http) =>
  by.post('/v1/lipsync', body, { headers });
const estimate = (body: unknown) => http.post('/v1/lipsync/estimate', body);
const usual = { video: 'clip.mp4', audio: 'voice.wav' };

test.before.each(caller.cancelQueued);
test.after.each(api.nothingLeft);

test('a portrait may not run beside long jobs: it is as long as its sound', async () => {
  const { data } = await post(wanted({ image: 'phone.jpg', audio: 'voice.wav' }));
  const { input, quick } = await api.parts.jobs.get(caller.account, data.id);
  assert.equal([input.kind, quick], ['image', false]);
});

test('a job tells both of its inputs and all of its options', async () => {
  const answer = await post(wanted(usual));
  assert.is(answer.status, 202, JSON.stringify(answer.data));
  const job = LipsyncJob.parse(answer.data);
  assert.equal([job.kind, job.model, job.model_version], ['lipsync', 'fast', 'clip-r1']);
  assert.equal([job.input.kind, job.input.size, job.input.frames], ['video', '64x48', 50]);
  const { audio } = LipsyncInput.parse(job.input);
  assert.equal([audio.duration_seconds, audio.sample_rate, audio.channels], [3, 8000, 1]);
  assert.is(audio.content_type, 'audio/wav');
  assert.is(job.input.own_sound, false);
  assert.equal(job.options, {
    model: 'fast',
    output_format: 'mp4',
    sync_mode: 'cut_off',
    speaker: { mode: 'auto' },
    options: {
      expressiveness: 0.5,
      on_no_face: 'passthrough',
      motion: true,
      style: 'auto',
      background: { mode: 'drop', volume: 0.3 },
    },
  });
  assert.equal(job.cost, { estimated: 2, held: 2, charged: 0 });
  const inputs = readdirSync(join(api.parts.config.files.dir, 'inputs'));
  assert.equal(inputs.filter((name) => name.startsWith(job.id)).sort(), [
    job.id,
    `${job.id}.audio`,
    `${job.id}.heard`,
  ]);
  await http.post(`/v1/jobs/${job.id}/cancel`);
  const after = readdirSync(join(api.parts.config.files.dir, 'inputs'));
  assert.equal(
    after.filter((name) => name.startsWith(job.id)),
    [],
  );
});

test('the estimate for a sound whose end is missing tells so', async () => {
  const bytes = readFileSync(at('voice.wav'));
  const { status, data } = await estimate(
    wanted({ video: 'clip.mp4', audio: bytes.subarray(0, bytes.length / 2) }),
  );
  assert.equal([status, data.credits], [200, 2], JSON.stringify(data));
  assert.equal(
    data.warnings.map(({ code }: { code: string }) => code),
    ['sound_cut_short'],
  );
  assert.match(data.warnings[0].detail, /lasts 3 s, but only 1\.5 s could be read/);
});

test('jobs are listed by their kind', async () => {
  const { data: job } = await post(wanted(usual));
  const list = async (kind: string) =>
    (await http.get(`/v1/jobs?status=queued&kind=${kind}`)).data.data;
  assert.equal(
    (await list('lipsync')).map(({ id }: { id: string }) => id),
    [job.id],
  );
  assert.equal(await list('upscale'), []);
});

test('sources come by URL, as parts, or one of each', async () => {
  const fields = { model: 'fast', video_url: urlOf('clip.mp4') };
  const byUrl = await post({ ...fields, audio_url: urlOf('voice.wav') });
  assert.is(byUrl.status, 202, JSON.stringify(byUrl.data));
  const mixed = await post(wanted({ audio: 'voice.wav' }, fields));
  // The content is the same, so it is the same work.
  assert.equal([mixed.status, mixed.data.id], [202, byUrl.data.id]);
});

test('an upload of either kind is usable by its URL', async () => {
  const upload = async (name: string) => {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(at(name))]), name);
    const { status, data } = await http.post('/v1/uploads', form);
    assert.is(status, 201, JSON.stringify(data));
    return data;
  };
  const [clip, sound] = [await upload('clip.mp4'), await upload('voice.mp3')];
  assert.equal([clip.kind, sound.kind], ['video', 'audio']);
  const answer = await post({ model: 'fast', video_url: clip.url, audio_url: sound.url });
  assert.is(answer.status, 202, JSON.stringify(answer.data));
});

for (const name of [
  'voice.mp3',
  'voice.m4a',
  'voice.aac',
  'voice.flac',
  'sound-only.mp4',
  'other.wav',
])
  test(`${name} is a sound`, async () => {
    const { status, data } = await estimate(wanted({ ...usual, audio: name }));
    assert.is(status, 200, JSON.stringify(data));
    assert.ok(Math.abs(data.duration_seconds - 1) < 0.1, `${data.duration_seconds}`);
  });

test('of a clip and a sound the shorter is paid for, of a portrait the sound', async () => {
  const clip = (await estimate(wanted(usual))).data;
  assert.equal([clip.credits, clip.duration_seconds, clip.output_size], [2, 2, '64x48']);
  assert.equal([clip.model, clip.model_version], ['fast', 'clip-r1']);
  assert.equal(clip.lines, [{ kind: 'base', text: 'fast: 2 s × 1', credits: 2 }]);
  const short = (await estimate(wanted({ ...usual, audio: 'other.wav' }))).data;
  assert.equal([short.credits, short.duration_seconds], [1, 1]);
  const portrait = (await estimate(wanted({ image: 'portrait.png', audio: 'voice.wav' }))).data;
  assert.equal([portrait.credits, portrait.duration_seconds], [3, 3]);
  assert.equal([portrait.model_version, portrait.input_size], ['portrait-r1', '120x161']);
  assert.is(portrait.output_size, '120x162', '4:2:0 has no odd sizes');
  assert.is(portrait.warnings, undefined);
});

test('a portrait larger than a video may be is made smaller', async () => {
  const { data } = await estimate(wanted({ image: 'phone.jpg', audio: 'voice.wav' }));
  assert.equal([data.input_size, data.output_size], ['400x600', '266x400']);
});

test('a portrait is any still image that upscaling takes', async () => {
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    const image = await drawn(120, 160).toFormat(format).toBuffer();
    const { status, data } = await estimate(wanted({ image, audio: 'voice.wav' }));
    assert.equal([status, data.input_size], [200, '120x160'], format);
  }
});

test('fast above a minute is accepted with a warning', async () => {
  const parts = { image: 'portrait.png', audio: 'minute.wav' };
  const { data } = await estimate(wanted(parts));
  assert.is(data.credits, 61);
  assert.equal(
    data.warnings.map(({ code }: { code: string }) => code),
    ['long_clip_for_model'],
  );
  assert.match(data.warnings[0].detail, /up to 60 s; the result lasts 61 s/);
  assert.is((await post(wanted(parts))).status, 202);
});

const bad: [
  says: string,
  parts: Readonly<Record<string, Content>>,
  status: number,
  code: string,
  detail: RegExp,
][] = [
  [
    'an image as audio',
    { ...usual, audio: 'portrait.png' },
    415,
    'unsupported_media_type',
    /image\/png/,
  ],
  [
    'a video without sound as audio',
    { ...usual, audio: 'clip.mp4' },
    422,
    'no_audio_stream',
    /audio/,
  ],
  [
    'text as audio',
    { ...usual, audio: Buffer.from('la la') },
    415,
    'unsupported_media_type',
    /text/,
  ],
  [
    'an empty file as audio',
    { ...usual, audio: Buffer.alloc(0) },
    415,
    'unsupported_media_type',
    /empty/,
  ],
  [
    'audio as video',
    { ...usual, video: 'voice.mp3' },
    415,
    'unsupported_media_type',
    /audio\/mpeg/,
  ],
  [
    'sound in a video container as video',
    { ...usual, video: 'sound-only.mp4' },
    422,
    'no_video_stream',
    /no video/,
  ],
  [
    'an animated image as the sound',
    { ...usual, audio: animated },
    415,
    'unsupported_media_type',
    /animated/,
  ],
  [
    'a portrait that is too large',
    { image: 'large.jpg', audio: 'voice.wav' },
    413,
    'resolution_too_large',
    /0.25 megapixels.*501x500/,
  ],
  [
    'a clip that is too large',
    { ...usual, video: 'wide.mp4' },
    413,
    'resolution_too_large',
    /400x300.*402x200/,
  ],
  [
    'a clip that is too long',
    { ...usual, video: 'long.mp4' },
    413,
    'media_too_long',
    /at most 70 s.*71 s/,
  ],
  [
    'audio that is too long',
    { ...usual, audio: 'long.wav' },
    413,
    'media_too_long',
    /at most 70 s.*71 s/,
  ],
  [
    'audio of too many bytes',
    { ...usual, audio: 'large.wav' },
    413,
    'file_too_large',
    /An audio file .*2000000 bytes/,
  ],
  [
    'a file for sound that has none',
    { ...usual, audio: 'words.mp4' },
    422,
    'no_audio_stream',
    /no audio stream/,
  ],
  [
    'audio that is damaged throughout',
    { ...usual, audio: 'noise.m4a' },
    422,
    'media_unreadable',
    /The sound could not be decoded/,
  ],
  [
    'audio that is cut off',
    { ...usual, audio: cutOff },
    422,
    'media_unreadable',
    /could not be decoded/,
  ],
];
for (const [says, parts, status, code, detail] of bad) {
  test(`${says} is ${status} ${code}`, async () => {
    const before = (await http.get('/v1/credits')).data;
    assert.match(refused(await post(wanted(parts)), status, code).detail, detail);
    refused(await estimate(wanted(parts)), status, code);
    assert.equal((await http.get('/v1/credits')).data, before);
    assert.equal((await http.get('/v1/jobs?status=queued')).data.data, []);
  });
}

test('audio of too many bytes is refused while it is fetched', async () => {
  const body = { model: 'fast', video_url: urlOf('clip.mp4'), audio_url: urlOf('large.wav') };
  const problem = refused(await post(body), 413, 'file_too_large');
  assert.equal(pointers(problem), ['/audio_url']);
});

test('a refusal of a file names the field that it came in', async () => {
  const text = Buffer.from('la la');
  for (const [parts, status, code, pointer] of [
    [{ ...usual, video: text }, 415, 'unsupported_media_type', '/video'],
    [{ ...usual, audio: text }, 415, 'unsupported_media_type', '/audio'],
    [{ ...usual, video: 'long.mp4' }, 413, 'media_too_long', '/video'],
    [{ ...usual, audio: 'long.wav' }, 413, 'media_too_long', '/audio'],
  ] as const) {
    const { detail, errors } = refused(await post(wanted(parts)), status, code);
    assert.equal(errors, [{ pointer, code, detail }]);
  }
  const body = { model: 'fast', video_url: urlOf('clip.mp4'), audio_url: urlOf('portrait.png') };
  const problem = refused(await post(body), 415, 'unsupported_media_type');
  assert.equal(pointers(problem), ['/audio_url']);
});

test('all faults of a request are told at once', async () => {
  const body = {
    model: 'slow',
    video_url: 'ftp://x/y',
    picture_url: urlOf('portrait.png'),
    output_format: 'webm',
    sync_mode: 'stretch',
    speaker: { frame: -1, x: 1 },
    options: { expressiveness: 1.5, blur: true },
  };
  const problem = refused(await post(body), 422, 'validation_failed');
  assert.equal(pointers(problem), [
    ...['/model', '/output_format', '/sync_mode', '/speaker/frame', '/speaker/y'],
    ...['/options/expressiveness', '/options/blur', '/video_url', '/picture_url', ''],
  ]);
  assert.equal(problem.errors?.[0]?.allowed, ['fast', 'balanced', 'studio']);
  assert.match(problem.errors?.at(-1)?.detail ?? '', /audio_url, audio; got none/);
});

test('each source comes exactly once', async () => {
  const none = refused(await post({ model: 'fast' }), 422, 'validation_failed');
  assert.equal(
    none.errors?.map(({ allowed }) => allowed),
    [
      ['video_url', 'image_url', 'video', 'image'],
      ['audio_url', 'audio'],
    ],
  );
  const twice = wanted({ ...usual, image: 'portrait.png' }, { audio_url: urlOf('voice.wav') });
  const problem = refused(await post(twice), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/video', '/image', '/audio_url', '/audio']);
});

for (const [sync_mode, short, long] of [
  ['cut_off', 1, 2],
  ['loop', 1, 3],
  ['bounce', 1, 3],
  ['silence', 2, 3],
  ['remap', 1, 3],
] as const)
  test(`${sync_mode} is paid for as long as its result is`, async () => {
    const seconds = async (parts: Readonly<Record<string, Content>>) => {
      const { status, data } = await estimate(wanted(parts, { sync_mode }));
      assert.is(status, 200, JSON.stringify(data));
      assert.is(data.credits, data.duration_seconds);
      return data.duration_seconds;
    };
    assert.is(await seconds({ ...usual, audio: 'other.wav' }), short);
    assert.is(await seconds(usual), long);
    assert.is(await seconds({ image: 'portrait.png', audio: 'voice.wav' }), 3);
  });

test('every model takes every option, at its own rate', async () => {
  for (const [model, rate] of [
    ['balanced', 2],
    ['studio', 4],
  ] as const) {
    const options = '{"background":{"mode":"mix","volume":1}}';
    const { status, data } = await estimate(wanted(usual, { model, sync_mode: 'remap', options }));
    assert.is(status, 200, JSON.stringify(data));
    assert.equal([data.model, data.credits], [model, 3 * rate]);
  }
});

test('a mode that goes on after the end is not for a clip of absurdly many frames', async () => {
  const many = { ...usual, video: 'many.mp4' };
  assert.is((await estimate(wanted(many))).status, 200);
  const problem = refused(
    await post(wanted(many, { sync_mode: 'loop' })),
    422,
    'validation_failed',
  );
  assert.equal(pointers(problem), ['/sync_mode']);
  assert.match(
    problem.errors?.[0]?.detail ?? '',
    /at most 240 frames per second for "loop"; got 500/,
  );
});

type Segments = readonly { start: number; end: number; audio: object | null }[];
const whole = { start: 0 };
const segmented: [says: string, segments: Segments, pointers: readonly string[]][] = [
  [
    'spans may touch',
    [
      { start: 0, end: 1, audio: whole },
      { start: 1, end: 2, audio: null },
    ],
    [],
  ],
  ['a rounded end is no fault', [{ start: 0, end: 2.05, audio: { start: 1, end: 3.02 } }], []],
  ['none is empty', [{ start: 1, end: 1, audio: whole }], ['/segments/0/end']],
  [
    'they are in order',
    [
      { start: 1, end: 1.5, audio: whole },
      { start: 0, end: 0.5, audio: whole },
    ],
    ['/segments/1/start'],
  ],
  [
    'they do not overlap',
    [
      { start: 0, end: 1, audio: whole },
      { start: 0.9, end: 1.5, audio: whole },
    ],
    ['/segments/1/start'],
  ],
  [
    'no part of the sound is empty',
    [{ start: 0, end: 1, audio: { start: 2, end: 2 } }],
    ['/segments/0/audio/end'],
  ],
  ['something is to be said', [{ start: 0, end: 1, audio: null }], ['/segments']],
  ['none ends behind the clip', [{ start: 1, end: 2.2, audio: whole }], ['/segments/0/end']],
  [
    'none starts behind the clip',
    [
      { start: 2, end: 2.05, audio: whole },
      { start: 9, end: 10, audio: whole },
    ],
    ['/segments/0/start', '/segments/1/start', '/segments/1/end'],
  ],
  [
    'no part lies behind the sound',
    [
      { start: 0, end: 1, audio: { start: 3 } },
      { start: 1, end: 2, audio: { start: 1, end: 3.2 } },
    ],
    ['/segments/0/audio/start', '/segments/1/audio/end'],
  ],
];
for (const [says, segments, faulty] of segmented)
  test(`of segments: ${says}`, async () => {
    const answer = await estimate(wanted(usual, { segments: JSON.stringify(segments) }));
    if (faulty.length === 0) {
      assert.is(answer.status, 200, JSON.stringify(answer.data));
      return assert.is(answer.data.duration_seconds, 2);
    }
    assert.equal(pointers(refused(answer, 422, 'validation_failed')), faulty);
  });

test('segments are of a clip, whose length the result has', async () => {
  const segments = JSON.stringify([{ start: 0, end: 1, audio: whole }]);
  const modes = ['loop', 'bounce', 'silence', 'remap'];
  for (const sync_mode of modes) {
    const answer = await post(wanted(usual, { segments, sync_mode }));
    const problem = refused(answer, 422, 'validation_failed');
    assert.equal(pointers(problem), ['/sync_mode']);
    assert.equal(problem.errors?.[0]?.allowed, ['cut_off']);
  }
  const portrait = { image: 'portrait.png', audio: 'voice.wav' };
  const problem = refused(await post(wanted(portrait, { segments })), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/segments']);
  assert.match(problem.errors?.[0]?.detail ?? '', /got an image/);
});

test('segments come back with the job, what they left out filled in', async () => {
  const segments = [
    { start: 0, end: 1, audio: {} },
    { start: 1, end: 2, audio: null },
  ];
  const { data } = await post(wanted(usual, { segments: JSON.stringify(segments) }));
  assert.equal(LipsyncJobOptions.parse(LipsyncJob.parse(data).options).segments, [
    { start: 0, end: 1, audio: { start: 0 } },
    { start: 1, end: 2, audio: null },
  ]);
});

test('a background that is not there to be mixed is told, and is no fault', async () => {
  const options = '{"background":{"mode":"mix"}}';
  const codes = async (video: string) =>
    (await estimate(wanted({ ...usual, video }, { options }))).data.warnings?.map(
      ({ code }: { code: string }) => code,
    );
  assert.equal(await codes('clip.mp4'), ['no_background_sound']);
  assert.equal(await codes('portrait.png'), ['no_background_sound']);
  assert.is(await codes('sounding.mp4'), undefined);
});

const speakers: [says: string, speaker: object, pointers: readonly string[]][] = [
  ['the last frame and the last pixel are there', { frame: 49, x: 63.5, y: 47 }, []],
  ['no frame behind the end', { frame: 50, x: 1, y: 1 }, ['/speaker/frame']],
  ['no point outside', { frame: 0, x: 64, y: 48 }, ['/speaker/x', '/speaker/y']],
  ['a face may be cut by the edge', { boxes: [null, [-5, -5, 20, 20], [40, 30, 90, 90]] }, []],
  ['no box outside', { boxes: [[64, 0, 80, 20]] }, ['/speaker/boxes/0']],
  ['no box inside out', { boxes: [null, [20, 0, 10, 20]] }, ['/speaker/boxes/1']],
  ['no boxes behind the end', { boxes: Array(51).fill([0, 0, 9, 9]) }, ['/speaker/boxes']],
  ['some box is needed', { boxes: [null, null] }, ['/speaker/boxes']],
];
for (const [says, speaker, faulty] of speakers)
  test(`of a speaker: ${says}`, async () => {
    const answer = await estimate(wanted(usual, { speaker: JSON.stringify(speaker) }));
    if (faulty.length === 0) return assert.is(answer.status, 200, JSON.stringify(answer.data));
    assert.equal(pointers(refused(answer, 422, 'validation_failed')), faulty);
  });

test('a box for each frame of five minutes has room in a body of either kind', async () => {
  const boxes = Array(9000).fill([1000.25, 500.25, 1200.75, 750.75]);
  const json = { model: 'fast', video_url: urlOf('clip.mp4'), audio_url: urlOf('voice.wav') };
  const asText = wanted(usual, { speaker: JSON.stringify({ boxes }) });
  for (const answer of [await estimate({ ...json, speaker: { boxes } }), await estimate(asText)]) {
    const problem = refused(answer, 422, 'validation_failed');
    assert.match(problem.errors?.[0]?.detail ?? '', /at most 50, one for each frame; got 9000/);
  }
});

test('a portrait has one frame', async () => {
  const portrait = { image: 'portrait.png', audio: 'voice.wav' };
  const ask = (frame: number) =>
    estimate(wanted(portrait, { speaker: JSON.stringify({ frame, x: 60, y: 80 }) }));
  assert.is((await ask(0)).status, 200);
  assert.equal(pointers(refused(await ask(1), 422, 'validation_failed')), ['/speaker/frame']);
});

test('the same request joins its job; another sound, portrait or option is other work', async () => {
  const { data: first } = await post(wanted(usual));
  const defaults = { options: '{"expressiveness":0.5}', sync_mode: 'cut_off' };
  assert.is((await post(wanted(usual, defaults))).data.id, first.id);
  const others = [
    wanted({ ...usual, audio: 'other.wav' }),
    wanted({ ...usual, video: 'portrait.png' }),
    wanted(usual, { options: '{"expressiveness":0.6}' }),
    wanted(usual, { sync_mode: 'loop' }),
    wanted(usual, { segments: '[{"start":0,"end":1,"audio":{}}]' }),
  ];
  const ids = await Promise.all(others.map(async (body) => (await post(body)).data.id));
  assert.is(new Set([first.id, ...ids]).size, 6);
});

test('an idempotency key covers both sources', async () => {
  const key = { ...respondAsync, 'idempotency-key': 'one' };
  const { data: first } = await post(wanted(usual), key);
  const again = await post(wanted(usual), key);
  assert.equal([again.data.id, again.headers['idempotent-replayed']], [first.id, 'true']);
  refused(await post(wanted({ ...usual, audio: 'other.wav' }), key), 422, 'idempotency_key_reused');
});

test('credits that do not suffice are told before a job exists', async () => {
  const { http: poor } = await api.caller({ credits: 1 });
  const problem = refused(
    await post(wanted(usual), respondAsync, poor),
    402,
    'insufficient_credits',
  );
  assert.equal([problem.required_credits, problem.available_credits], [2, 1]);
});

test('a model that is not ready is told', async () => {
  const state = api.states.findIndex(({ id }) => id === 'fast');
  const [ready] = api.states.splice(state, 1, {
    id: 'fast',
    ready: false,
    releases: { image: null, video: null },
    engine: null,
    offered: [],
  });
  try {
    refused(await post(wanted(usual)), 503, 'model_unavailable');
  } finally {
    if (ready) api.states.splice(state, 1, ready);
  }
});

test.after(async () => {
  await media.close();
  await api.close();
});
test.run();
