import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job, JobStatus } from '../../src/contract/job.ts';
import { presentJob, presentResult } from '../../src/jobs/record/present.ts';
import { isOver, type JobRecord, moves, recordReader } from '../../src/jobs/record/record.ts';
import { operations } from '../../src/operations/all.ts';
import { outputSeconds, warningsOf } from '../../src/operations/lip-sync/length.ts';
import { LipsyncOptions, LipsyncResult, SyncMode } from '../../src/operations/lip-sync/request.ts';
import { UpscaleResult } from '../../src/operations/upscale/request.ts';

const test = suite('job');
const shown = {
  operations,
  publicUrl: 'http://host',
  place: null,
  link: (target: string, id: string, expiresAtMs: number | null) =>
    `http://host/${id}/${target}?${expiresAtMs}`,
};
const read = recordReader(operations);
const recordOf = (fields: Readonly<Record<string, string>>): JobRecord => {
  const record = read(fields);
  assert.ok(record, 'it is a record');
  return record;
};
const queued = {
  id: 'job_1',
  account: 'acme',
  kind: 'upscale',
  status: 'queued',
  request_id: 'req_1',
  created_at: '1800000000000',
  model: 'photo',
  model_version: 'photo-s19',
  input: '{"kind":"image","size":"10x20","bytes":5,"sha256":"ab","content_type":"image/png"}',
  options: '{"model":"photo","scale":2}',
  found:
    '{"kind":"image","size":{"width":10,"height":20},"alpha":false,"gray":false,"format":"png","profile":null,"metadata":false}',
  fingerprint: 'f',
  estimated: '7',
  held: '7',
  charged: '0',
  lines: '[]',
  fence: '0',
  dispatch: '1',
  attempts: '0',
  lost: '0',
  progress: '',
};
const succeeded = {
  ...queued,
  status: 'succeeded',
  charged: '7',
  started_at: '1800000001000',
  finished_at: '1800000003500',
  expires_at: '1800086403500',
  progress: '{"stage":"storing","percent":100,"frames_done":1,"frames_total":1,"eta_seconds":0}',
  outcome:
    '{"file":"job_1.1.png","bytes":9,"sha256":"cd","content_type":"image/png","output_size":"20x40"}',
};
const shownOf = (fields: Readonly<Record<string, string>>) =>
  Job.parse(presentJob(recordOf(fields), shown));

test('the ends are the states without a way out', () => {
  assert.equal(JobStatus.options.filter(isOver), ['succeeded', 'failed', 'canceled']);
  for (const next of Object.values(moves)) for (const status of next) assert.ok(moves[status]);
});

test('a waiting job shows its place and what it holds', () => {
  const job = Job.parse(
    presentJob(recordOf(queued), { ...shown, place: { position: 3, etaSeconds: 20 } }),
  );
  assert.equal(
    [job.queue_position, job.queue_eta_seconds, job.cost],
    [3, 20, { estimated: 7, held: 7, charged: 0 }],
  );
  assert.equal([job.started_at, job.expires_at, job.result, job.error], [null, null, null, null]);
  assert.equal(job.urls, {
    get: 'http://host/v1/jobs/job_1',
    cancel: 'http://host/v1/jobs/job_1/cancel',
    events: 'http://host/job_1/events?null',
    result: 'http://host/job_1/result?null',
  });
});

test('a succeeded job shows its result, which is what POST answers', () => {
  const job = shownOf(succeeded);
  assert.equal(job.cost, { estimated: 7, held: 0, charged: 7 });
  assert.equal(job.result, UpscaleResult.parse(presentResult(recordOf(succeeded), shown)));
  assert.equal(
    [job.result?.credits_used, job.result?.processing_ms, job.result?.output_url],
    [7, 2500, 'http://host/job_1/result?1800086403500'],
  );
  assert.equal([job.result?.input_size, job.result?.output_size], ['10x20', '20x40']);
});

test('a cached job shows the result as free and at once', () => {
  const fields = { ...succeeded, cached: '1', charged: '0', held: '0', started_at: '' };
  const { result } = shownOf(fields);
  assert.equal([result?.cached, result?.credits_used, result?.processing_ms], [true, 0, 0]);
});

test('an erased job shows no result', () =>
  assert.is(shownOf({ ...succeeded, erased: '1' }).result, null));

test('a failed job shows its problem, and that nothing was charged', () => {
  const error = '{"code":"inference_failed","facts":{"model":"photo","reason":"no memory"}}';
  const job = shownOf({ ...queued, status: 'failed', error });
  assert.equal(
    [job.error?.code, job.error?.status, job.error?.request_id, job.error?.charged],
    ['inference_failed', 502, 'req_1', 0],
  );
  assert.match(job.error?.detail ?? '', 'no memory');
});

test('a record of another version is shown as far as it can be read, and says what is wrong', () => {
  const { input: _, ...older } = queued;
  const record = recordOf(older);
  assert.match(record.unreadable ?? '', /input/);
  assert.equal([record.status, record.held, record.fence], ['queued', 7, 0]);
  const job = Job.parse(presentJob(record, shown));
  assert.equal([job.status, job.input, job.options], ['queued', {}, { model: 'photo', scale: 2 }]);

  const garbled = recordOf({ ...succeeded, outcome: '{"file', estimated: 'many' });
  assert.match(garbled.unreadable ?? '', /outcome/);
  assert.equal([garbled.estimated, garbled.charged], [0, 7]);
  assert.is(Job.parse(presentJob(garbled, shown)).result, null);
  const { found: __, ...unprobed } = queued;
  assert.match(recordOf(unprobed).unreadable ?? '', /what probing found is missing/);
  const unknown = recordOf({ ...queued, kind: 'invert' });
  assert.match(unknown.unreadable ?? '', /no operation is called "invert"/);
});

test('an unknown failure in a record is unreadable, not shown', () => {
  const fields = { ...queued, status: 'failed', error: '{"code":"nonsense","facts":{}}' };
  assert.match(recordOf(fields).unreadable ?? '', /error/);
  assert.is(Job.parse(presentJob(recordOf(fields), shown)).error, null);
});

test('a hash that tells neither which job it is nor whose is no record', () => {
  assert.is(read({}), null);
  assert.is(read({ id: 'job_1', status: 'queued' }), null);
});

const { found: ___, ...finished } = succeeded;
const lipsync = {
  ...finished,
  kind: 'lipsync',
  model: 'fast',
  model_version: 'face_track-r1+speech-r1',
  input: JSON.stringify({
    kind: 'video',
    size: '64x48',
    bytes: 5,
    sha256: 'ab',
    content_type: 'video/mp4',
    duration_seconds: 70,
    frames: 1750,
    fps: 25,
    audio: {
      bytes: 7,
      sha256: 'ef',
      content_type: 'audio/wav',
      duration_seconds: 61.2,
      sample_rate: 8000,
      channels: 1,
    },
  }),
  options: JSON.stringify(LipsyncOptions.parse({ model: 'fast' })),
  outcome: JSON.stringify({
    file: 'job_1.1.mp4',
    bytes: 9,
    sha256: 'cd',
    content_type: 'video/mp4',
    output_size: '64x48',
    duration_seconds: 61.2,
    frames: 1530,
    fps: 25,
    faces_detected: 2,
    frames_passed_through: 3,
    sync: { correlation: null, lag_ms: null },
    warnings: [{ code: 'odd_size_grown', detail: 'It grew.' }],
  }),
};

test('a succeeded lip sync shows what was seen and measured, and every warning', () => {
  const { kind, input, ...job } = shownOf(lipsync);
  const result = LipsyncResult.parse(presentResult(recordOf(lipsync), shown));
  assert.equal(job.result, result);
  assert.is(kind, 'lipsync');
  assert.ok('audio' in input);
  assert.equal([result.faces_detected, result.frames_passed_through, result.frames], [2, 3, 1530]);
  assert.equal(result.sync, { correlation: null, lag_ms: null });
  assert.equal(
    result.warnings.map(({ code }) => code),
    ['long_clip_for_model', 'odd_size_grown'],
  );
  assert.not('file' in result);
});

test('of boxes a job shows how many there are, and any other speaker as it was given', () => {
  const speakerOf = (speaker: object) => {
    const options = JSON.stringify(LipsyncOptions.parse({ model: 'fast', speaker }));
    return shownOf({ ...lipsync, options }).options;
  };
  const boxes = Array.from({ length: 9000 }, () => [1, 2, 3, 4]);
  assert.equal(speakerOf({ boxes }), { ...speakerOf({ mode: 'auto' }), speaker: { boxes: 9000 } });
  const point = { frame: 3, x: 1, y: 2 };
  assert.equal(speakerOf(point), { ...speakerOf({ mode: 'auto' }), speaker: point });
});

const lengths: [
  says: string,
  input: Parameters<typeof outputSeconds>[0],
  seconds: Readonly<Record<SyncMode | 'segments', number>>,
][] = [
  [
    'a longer sound',
    { kind: 'video', duration_seconds: 2, audio: { duration_seconds: 3 } },
    { cut_off: 2, loop: 3, bounce: 3, silence: 3, remap: 3, segments: 2 },
  ],
  [
    'a longer clip',
    { kind: 'video', duration_seconds: 3, audio: { duration_seconds: 2 } },
    { cut_off: 2, loop: 2, bounce: 2, silence: 3, remap: 2, segments: 3 },
  ],
  [
    'a portrait',
    { kind: 'image', audio: { duration_seconds: 3 } },
    { cut_off: 3, loop: 3, bounce: 3, silence: 3, remap: 3, segments: 3 },
  ],
];
for (const [says, input, seconds] of lengths) {
  test(`the length that is paid for of ${says}`, () => {
    for (const sync_mode of SyncMode.options)
      assert.is(outputSeconds(input, { sync_mode }), seconds[sync_mode], sync_mode);
    const segments = [{ start: 0, end: 1, audio: { start: 0 } }];
    assert.is(outputSeconds(input, { sync_mode: 'cut_off', segments }), seconds.segments);
  });
}

test('a minute is no long clip for fast, a frame more is; five minutes are none for the others', () => {
  const codes = (model: string, seconds: number) =>
    warningsOf(
      { kind: 'image', audio: { duration_seconds: seconds } },
      LipsyncOptions.parse({ model }),
    ).map(({ code }) => code);
  assert.equal(codes('fast', 60), []);
  assert.equal(codes('fast', 60.04), ['long_clip_for_model']);
  assert.equal([...codes('balanced', 300), ...codes('studio', 300)], []);
});

test('a sound or a video of which less than half is left is told to be cut, and how all of it is kept', () => {
  const told = (
    clip: number,
    sound: number,
    timing: object = {},
    kind: 'video' | 'image' = 'video',
  ) =>
    warningsOf(
      {
        kind,
        audio: { duration_seconds: sound },
        ...(kind === 'video' && { duration_seconds: clip }),
      },
      LipsyncOptions.parse({ model: 'fast', ...timing }),
    );
  assert.equal(told(0.04, 3), [
    {
      code: 'much_cut_off',
      detail:
        'The video lasts 0.04 s, so most of the sound, which lasts 3 s, is cut off. To keep all of it, set sync_mode to loop, bounce, silence or remap.',
    },
  ]);
  assert.match(
    told(40, 3)[0]?.detail ?? '',
    /^The sound lasts 3 s, so most of the video, which lasts 40 s, is cut off\. .* set sync_mode to silence\.$/,
  );
  const segments = [{ start: 0, end: 1, audio: { start: 0 } }];
  const silent = [
    ...[told(2, 3.9), told(3.9, 2), told(3, 0.5, { segments }), told(0, 3, {}, 'image')],
    ...['loop', 'bounce', 'silence', 'remap'].map((sync_mode) => told(1, 9, { sync_mode })),
  ];
  assert.equal(silent.flat(), []);
});

test('what is to be mixed and is not there is told', () => {
  const codes = (own_sound: boolean, mode: string) =>
    warningsOf(
      { kind: 'video', duration_seconds: 1, audio: { duration_seconds: 1 }, own_sound },
      LipsyncOptions.parse({ model: 'fast', options: { background: { mode } } }),
    ).map(({ code }) => code);
  assert.equal(codes(false, 'mix'), ['no_background_sound']);
  assert.equal([codes(true, 'mix'), codes(false, 'drop')], [[], []]);
});

test.run();
