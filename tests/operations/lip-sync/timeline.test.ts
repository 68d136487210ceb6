/** The arithmetic of durations, over random clips and sounds; a failure names the seed that reproduces it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputFrame } from '../../../src/operations/lip-sync/plan/output-frame.ts';
import { layOut, shownSeconds } from '../../../src/operations/lip-sync/plan/timeline.ts';
import type { SyncMode } from '../../../src/operations/lip-sync/request.ts';

/** mulberry32: 0..1, the same for the same seed. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
type Random = () => number;
const among = <T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[Math.floor(random() * values.length)] ?? values[0];

/** Of constant rate, of one in whole milliseconds, or with times of any kind, some frames held. */
const clipOf = (random: Random): number[] => {
  const count = among(random, [1, 2, 3, Math.ceil(random() * 20), Math.ceil(random() * 400)]);
  const fps = among(random, [1, 12, 24, 30_000 / 1001, 25, 22.13, 60, 240]);
  const kind = among(random, ['constant', 'ticks', 'variable']);
  if (kind === 'constant') return Array.from({ length: count + 1 }, (_, i) => i / fps);
  if (kind === 'ticks')
    return Array.from({ length: count + 1 }, (_, i) => Math.round((i * 1000) / fps) / 1000);
  const times = [0];
  while (times.length <= count) {
    const held = random() < 0.05 ? 40 : 1;
    times.push((times.at(-1) ?? 0) + ((0.2 + random()) * held) / fps);
  }
  return times;
};

type Case = {
  readonly times: readonly number[];
  readonly clip: number;
  readonly sound: number;
  readonly mean: number;
  readonly frames: OutputFrame[];
};
const CASES = 1_000;

/** Runs a check over many cases of one mode. */
const always = (mode: SyncMode, check: (one: Case) => void): void => {
  for (let seed = 1; seed <= CASES; seed += 1) {
    const random = randomOf(seed);
    const times = clipOf(random);
    const clip = times.at(-1) ?? 0;
    const sound = among(random, [clip, clip * random(), clip * (1 + 4 * random()), 10 * random()]);
    try {
      const frames = layOut(times, sound, { sync_mode: mode });
      check({ times, clip, sound, frames, mean: clip / (times.length - 1) });
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
    }
  }
};

const totalOf = (frames: readonly OutputFrame[]): number =>
  frames.reduce((sum, { duration }) => sum + duration, 0);
const near = (came: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(came - expected) <= within, `expected ${expected} ± ${within}; ${came} came`);
const durationIn = (times: readonly number[], source: number): number =>
  (times[source + 1] ?? 0) - (times[source] ?? 0);

const modes: Readonly<Record<SyncMode, (clip: number, sound: number) => number>> = {
  cut_off: Math.min,
  loop: (_, sound) => sound,
  bounce: (_, sound) => sound,
  silence: Math.max,
  remap: (_, sound) => sound,
};
const all = ['cut_off', 'loop', 'bounce', 'silence', 'remap'] as const satisfies SyncMode[];

for (const mode of all) {
  test(`${mode}: frames follow each other without a gap, from frames of the clip`, () => {
    always(mode, ({ frames, times }) => {
      let end = 0;
      for (const { time, duration, source, moves } of frames) {
        near(time, end);
        assert.ok(duration > 0, `${duration} s at ${time}`);
        assert.ok(Number.isInteger(source) && source >= 0 && source < times.length - 1);
        assert.is(moves, true);
        end = time + duration;
      }
      near(totalOf(frames), end);
    });
  });

  test(`${mode}: the length is what is promised, to half a frame`, () => {
    always(mode, ({ frames, clip, sound, mean, times }) => {
      const promised = modes[mode](clip, sound);
      const came = totalOf(frames);
      // A sound of less than half a frame still gets one.
      if (frames.length === 1 && promised < came) return;
      const longest = Math.max(
        mean,
        ...times
          .slice(1)
          .map((time, i) => time - (times[i] ?? 0))
          .filter((one) => one <= 1.5 * mean),
      );
      near(came, promised, longest / 2 + 1e-9);
    });
  });

  test(`${mode}: equal lengths change nothing`, () => {
    always(mode, ({ times, clip }) => {
      if (mode === 'remap') return;
      const frames = layOut(times, clip, { sync_mode: mode });
      assert.equal(
        frames.map(({ source }) => source),
        [...times.keys()].slice(0, -1),
      );
      for (const [i, { time }] of frames.entries()) near(time, times[i] ?? Number.NaN);
    });
  });

  test(`${mode}: no more of the clip is shown than it says`, () => {
    always(mode, ({ frames, times, sound }) => {
      const most = shownSeconds(sound, { sync_mode: mode });
      for (const { source } of frames)
        assert.ok(source === 0 || (times[source] ?? 0) < most, `${times[source]} of ${most}`);
    });
  });
}

test('remap of a constant rate to its own length changes nothing', () => {
  for (const fps of [24, 25, 30_000 / 1001, 60]) {
    const times = Array.from({ length: 200 }, (_, i) => i / fps);
    const frames = layOut(times, 199 / fps, { sync_mode: 'remap' });
    assert.equal(
      frames.map(({ source }) => source),
      [...times.keys()].slice(0, -1),
    );
  }
});

for (const mode of ['cut_off', 'silence', 'bounce'] as const)
  test(`${mode}: the picture never jumps`, () => {
    always(mode, ({ frames }) => {
      frames.forEach(({ source, crossfade }, i) => {
        const before = frames[i - 1]?.source ?? 0;
        assert.ok(Math.abs(source - before) <= 1, `${before} to ${source}`);
        assert.is(crossfade, undefined);
      });
    });
  });

test('bounce: at a turn no frame comes twice', () => {
  always('bounce', ({ frames, times }) => {
    if (times.length === 2) return;
    frames.forEach(({ source }, i) => {
      assert.is.not(source, frames[i - 1]?.source);
    });
  });
});

test('bounce and loop: every frame is shown as long as in the clip, but for a held one at the end', () => {
  for (const mode of ['bounce', 'loop'] as const)
    always(mode, ({ frames, times }) => {
      for (const { source, duration } of frames.slice(0, -1))
        near(duration, durationIn(times, source));
    });
});

test('loop: the clip starts again where it ended, and its end fades out over its beginning', () => {
  always('loop', ({ frames, times, clip }) => {
    const last = times.length - 2;
    let share = 0;
    frames.forEach(({ source, time, duration, crossfade }, i) => {
      if (last > 0) {
        const before = frames[i - 1]?.source ?? -1;
        assert.is(source, before === last ? 0 : before + 1);
      }
      if (crossfade) {
        const since = (time + duration / 2) % clip;
        assert.ok(time >= clip - 1e-9, `${time}`);
        assert.ok(since < Math.min(0.2, clip / 2) + 1e-9, `${since} of ${clip}`);
        assert.is(crossfade.source, last);
        assert.ok(crossfade.share > 0 && crossfade.share < 1, `${crossfade.share}`);
        assert.ok(source === 0 || crossfade.share < share, `${crossfade.share} after ${share}`);
        share = crossfade.share;
      }
    });
  });
});

test('loop: at 25 frames a second five frames carry the end of the clip', () => {
  const times = Array.from({ length: 51 }, (_, i) => i / 25);
  const frames = layOut(times, 3, { sync_mode: 'loop' });
  const carried = frames.flatMap(({ crossfade }, i) =>
    crossfade ? [[i, crossfade.source, crossfade.share]] : [],
  );
  assert.equal(
    carried.map(([i, source, share]) => [i, source, Math.round(10 * (share ?? 0)) / 10]),
    [
      [50, 49, 0.9],
      [51, 49, 0.7],
      [52, 49, 0.5],
      [53, 49, 0.3],
      [54, 49, 0.1],
    ],
  );
});

test('silence: a longer sound keeps the last picture, at the mean rate', () => {
  always('silence', ({ frames, times, mean }) => {
    const last = times.length - 2;
    assert.equal(
      frames.slice(0, last + 1).map(({ source }) => source),
      [...times.keys()].slice(0, -1),
    );
    for (const { source, duration } of frames.slice(last + 1)) {
      assert.is(source, last);
      near(duration, mean);
    }
  });
});

test('remap: from the first to the last frame, never backward, each near its place in time', () => {
  always('remap', ({ frames, times, clip, sound, mean }) => {
    frames.forEach(({ source, time, duration }, i) => {
      near(duration, mean);
      assert.ok(source >= (frames[i - 1]?.source ?? 0));
      const place = ((time + duration / 2) / totalOf(frames)) * clip;
      assert.ok((times[source] ?? 0) <= place + 1e-9 && place <= (times[source + 1] ?? 0) + 1e-9);
    });
    if (sound < 2 * clip) return;
    // Slowed to half, every frame is shown that is not far shorter than the others.
    const seen = new Set(frames.map(({ source }) => source));
    for (let source = 0; source < times.length - 1; source += 1)
      assert.ok(seen.has(source) || durationIn(times, source) < mean, `${source}`);
  });
});

/** Up to five spans in ascending order, some of them touching, some without sound. */
const segmentsOf = (random: Random, clip: number) => {
  const segments: { start: number; end: number; audio: { start: number } | null }[] = [];
  let at = random() < 0.3 ? 0 : random() * clip * 0.3;
  while (segments.length < 5 && at < clip * 0.95) {
    const end = Math.min(clip, at + (0.02 + random()) * clip * 0.4);
    segments.push({ start: at, end, audio: random() < 0.8 ? { start: 0 } : null });
    at = random() < 0.3 ? end : end + random() * clip * 0.3;
  }
  return segments;
};

test('segments: the clip as it is, and the mouth moves in them to the frame', () => {
  for (let seed = 1; seed <= CASES; seed += 1) {
    const random = randomOf(seed);
    const times = clipOf(random);
    const clip = times.at(-1) ?? 0;
    const segments = segmentsOf(random, clip);
    const frames = layOut(times, 10 * random(), { sync_mode: 'cut_off', segments });
    assert.equal(
      frames.map(({ source }) => source),
      [...times.keys()].slice(0, -1),
    );
    near(totalOf(frames), clip);
    for (const { time, duration, moves, opacity } of frames) {
      const middle = time + duration / 2;
      const spoken = segments.some((s) => s.audio && s.start <= middle && middle < s.end);
      assert.is(moves, spoken, `seed ${seed}, ${middle}`);
      assert.ok(opacity === undefined || (moves && opacity > 0 && opacity < 1), `seed ${seed}`);
    }
  }
});

test('segments: the new mouth appears and goes within a tenth of a second, and stays where they touch', () => {
  const times = Array.from({ length: 101 }, (_, i) => i / 25);
  const part = { start: 0 };
  const segments = [
    { start: 0, end: 1, audio: part },
    { start: 2, end: 2.52, audio: part },
    { start: 2.52, end: 3, audio: part },
    { start: 3, end: 3.4, audio: null },
  ];
  const frames = layOut(times, 4, { sync_mode: 'cut_off', segments });
  const seen = frames.flatMap(({ moves, opacity = 1 }, i) =>
    moves ? [[i, opacity] as const] : [],
  );
  assert.equal(
    seen.map(([i]) => i),
    [...times.keys()].filter((i) => i < 25 || (i >= 50 && i < 75)),
  );
  assert.equal(
    seen
      .filter(([, opacity]) => opacity < 0.99)
      .map(([i, opacity]) => [i, Number(opacity.toFixed(3))]),
    [
      ...[
        [23, 0.6],
        [24, 0.2],
      ],
      ...[
        [50, 0.2],
        [51, 0.6],
      ],
      ...[
        [73, 0.6],
        [74, 0.2],
      ],
    ],
  );
});

test('a clip of one frame without a duration is shown', () => {
  for (const sync_mode of all) {
    const frames = layOut([0, 0], 1, { sync_mode });
    near(totalOf(frames), sync_mode === 'cut_off' ? 0.04 : 1);
  }
  assert.throws(() => layOut([0], 1, { sync_mode: 'loop' }), /expected the time of a picture/);
});

test('a part that holds far more frames than the clip has on average is refused', () => {
  // 18,000 frames in the first second, and one for the rest of five minutes.
  const times = [...Array.from({ length: 18_000 }, (_, i) => i / 18_000), 1, 300];
  for (const sync_mode of ['cut_off', 'loop', 'bounce'] as const)
    assert.throws(() => layOut(times, 1, { sync_mode }), /at most 1[28]\d frames in 1 s/);
});

test('60 frames a second in a clip that has fewer on average pass', () => {
  const times = [...Array.from({ length: 600 }, (_, i) => i / 60), 10, 100];
  assert.is(layOut(times, 10, { sync_mode: 'cut_off' }).length, 600);
});

test('no mode makes more frames than it may', () => {
  const times = Array.from({ length: 101 }, (_, i) => i / 1000);
  for (const sync_mode of ['loop', 'bounce', 'silence', 'remap'] as const)
    assert.throws(() => layOut(times, 60, { sync_mode }, 1000), /at most 1000 frames/);
});

test.run();
