/** What the tests of complaints share: the three models over a real Triton, what they did to each patch, and how the mouth of the finished file is seen again. */
import { join } from 'node:path';
import { probeVideo } from '../../src/media/probe/probe.ts';
import { decodeVideo } from '../../src/media/read/decode.ts';
import type { BenchHooks } from '../../src/operations/lip-sync/bench-hooks.ts';
import { createMeshFile } from '../../src/operations/lip-sync/faces/mesh-file.ts';
import { openFrames, trackFaces } from '../../src/operations/lip-sync/faces/track.ts';
import { cut, meshIn } from '../../src/operations/lip-sync/render/patch.ts';
import { LipsyncModel, LipsyncOptions } from '../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../src/operations/lip-sync/run.ts';
import type { LipsyncModels } from '../../src/triton/clients/lipsync.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { testConfig } from '../real/config.ts';
import { lipsyncModels } from '../real/lipsync.ts';
import { probeBoth } from '../real/probe-both.ts';
import { tempDir } from '../real/run.ts';
import { lipsyncNames, realTriton, tritonEnvironment } from '../real/triton.ts';
import type { Patch } from './measures.ts';

type Asked = { readonly options?: Partial<LipsyncOptions['options']> };
type Planned = Parameters<NonNullable<BenchHooks['planned']>>[0];

/** Everything that one test file needs; `close` it at the end. */
export const openRig = async (name: string) => {
  const dir = tempDir(name);
  const triton = await realTriton(lipsyncNames(...LipsyncModel.options));
  const config = testConfig(tritonEnvironment(triton));
  const transport = await openTransport(config.triton);
  const opened = new Map<LipsyncModel, LipsyncModels>();
  for (const model of LipsyncModel.options)
    opened.set(model, await lipsyncModels(model, transport, config.triton));
  const modelsOf = (model: LipsyncModel): LipsyncModels => {
    const models = opened.get(model);
    if (!models) throw new Error(`${model} was not opened`);
    return models;
  };
  const at = (file: string) => join(dir, file);
  let count = 0;

  /** The whole pipeline; `patches` are the frames in which a mouth was rendered, `plan` is what was asked of each. */
  const run = async (model: LipsyncModel, media: string, audio: string, asked: Asked = {}) => {
    const patches: Patch[] = [];
    const plans: Planned[] = [];
    const rendered: BenchHooks['rendered'] = ({ index, mesh, rect, mask, before, after }) => {
      if (!rect || !mask || !mesh) return;
      const place = { index, mask: Buffer.from(mask), mesh: meshIn(mesh, rect) };
      patches.push({ ...place, before: cut(before, rect), after: cut(after, rect) });
    };
    const target = at(`out${count++}.mp4`);
    const found = await probeBoth({ media, audio }, config, AbortSignal.timeout(30_000));
    const outcome = await runLipSync({
      inputs: { media, audio },
      found,
      target,
      config,
      models: modelsOf(model),
      report: () => {},
      signal: AbortSignal.timeout(180_000),
      options: LipsyncOptions.parse({ model, options: asked.options }),
      hooks: { rendered, planned: (plan) => plans.push(plan) },
    });
    const [plan] = plans;
    if (!plan || !outcome.lipsync) throw new Error('the pipeline told no plan');
    return { ...outcome, ...outcome.lipsync, target, patches, plan };
  };

  const probe = (path: string) =>
    probeVideo({
      path,
      ffmpeg: config.ffmpeg,
      limits: config.limits.video,
      signal: AbortSignal.timeout(30_000),
    });

  return {
    at,
    run,
    probe,
    /** Every picture of a file, RGB. */
    pictures: async (path: string) => {
      const info = await probe(path);
      const frames = [];
      for await (const frame of decodeVideo(path, info, {
        ffmpeg: config.ffmpeg,
        signal: AbortSignal.timeout(30_000),
      }))
        frames.push(frame);
      return frames;
    },
    /** The largest face of each frame of a file, found anew; null where there is none. */
    faces: async (path: string): Promise<(Float32Array | null)[]> => {
      const info = await probe(path);
      const signal = AbortSignal.timeout(60_000);
      const meshes = await createMeshFile(at(`seen${count++}.meshes`));
      try {
        const { sightings } = await trackFaces({
          ...openFrames({ source: path, info, longSide: 1280, ffmpeg: config.ffmpeg, signal }),
          size: info.size,
          fps: info.fps,
          meshes,
          signal,
          tracker: modelsOf('fast').faceTrack,
        });
        const width = ({ box }: { box: readonly number[] }) => (box[2] ?? 0) - (box[0] ?? 0);
        const largest = sightings.map((seen) => [...seen].sort((a, b) => width(b) - width(a))[0]);
        return await Promise.all(largest.map((face) => (face ? meshes.read(face.mesh) : null)));
      } finally {
        await meshes.close();
      }
    },
    close: async () => {
      await transport.close();
      await triton.close();
    },
  };
};

export const everyModel = LipsyncModel.options;
