/** What a model is asked to do before callers get it, by the kind of its slot. */
import { Failure } from '../../errors.ts';
import type { Picture } from '../../frame.ts';
import type { LoadedModel } from '../../triton/clients/model.ts';
import { openMouthRender, type Rendered } from '../../triton/clients/mouth-render.ts';
import { STYLES } from '../../triton/clients/style.ts';
import { openUpscaler } from '../../triton/clients/upscaler.ts';
import type { Transport } from '../../triton/protocol/transport.ts';
import { goldenPicture, likeness } from './golden.ts';
import { goldenFace } from './golden-face.ts';

export type Proof = {
  /** Small work of every kind. Throws a Failure where the model fails or takes too long. */
  warmUp(): Promise<void>;
  /** Work whose result is known within a bound. */
  golden(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  /** As much work at once as the model gets from callers, for its memory. */
  work(): Promise<void>;
};

type ProofParts = {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly bounds: { readonly warmUpMs: number; readonly goldenDb: number };
};

export const proofOf = (loaded: LoadedModel, parts: ProofParts): Proof => {
  if (loaded.parameters.scales !== undefined) return upscalerProof(loaded, parts);
  if (loaded.parameters.subject_size !== undefined) return mouthProof(loaded, parts);
  return unproven(loaded);
};

const unproven = ({ slot }: LoadedModel): Proof => ({
  warmUp: async () => {},
  golden: async () => ({ ok: true, detail: `no golden input is known for ${slot}` }),
  work: async () => {},
});

/** The largest difference of a channel's mean, of 255, that no eye sees. */
const largestShift = 4;
/** Side of the picture of which the memory is measured: a tile of the upscalers. */
const tileSide = 256;

/** The work within the bound of a warm-up. Throws Failure inference_failed where it takes longer. */
const openWithin =
  ({ name }: LoadedModel, { signal, bounds }: ProofParts) =>
  async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const late = AbortSignal.timeout(bounds.warmUpMs);
    try {
      return await work(AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      const reason = `no answer within ${bounds.warmUpMs / 1000} s`;
      throw new Failure('inference_failed', { model: name, reason }, { cause: error });
    }
  };

const upscalerProof = (loaded: LoadedModel, parts: ProofParts): Proof => {
  const { bounds } = parts;
  const upscaler = openUpscaler(parts.transport, loaded);
  const within = openWithin(loaded, parts);
  const run = (picture: Picture, scale: number): Promise<Picture> =>
    within((signal) => upscaler.run(picture, scale, signal));
  return {
    warmUp: async () => {
      for (const scale of [2, 4, 8]) await run(goldenPicture(4), scale);
    },
    golden: async () => {
      const picture = goldenPicture(3);
      const large = await run(picture, 2);
      const again = await run(picture, 2);
      const { psnr, shift } = likeness(picture, large);
      const same = again.pixels.equals(large.pixels);
      const found = `${loaded.name}: the golden picture at 2x, averaged down again, is the picture within ${psnr.toFixed(1)} dB, its colours within ${shift.toFixed(1)} of 255`;
      const faults = [
        ...(psnr >= bounds.goldenDb ? [] : [`expected at least ${bounds.goldenDb} dB`]),
        ...(shift <= largestShift ? [] : [`expected colours within ${largestShift}`]),
        ...(same ? [] : ['expected the same answer to the same picture, got another one']),
      ];
      return { ok: faults.length === 0, detail: [found, ...faults].join('; ') };
    },
    work: async () => {
      const pixels = Buffer.alloc(tileSide * tileSide * 3, 100);
      await run({ width: tileSide, height: tileSide, channels: 3, pixels }, 4);
    },
  };
};

/** The least PSNR, in dB, of a face asked for its own mouth: the shipped renderers have 33, and 25 where they open it wide. */
const leastUnchangedDb = 26;

const mouthProof = (loaded: LoadedModel, parts: ProofParts): Proof => {
  const renderer = openMouthRender(parts.transport, loaded);
  const within = openWithin(loaded, parts);
  const { patch, mesh, target } = goldenFace();
  const coding = 'rgb';
  // What a neural renderer may want: silence, the same face again, and the lower half of the patch to change. It paints the mouth
  // that it hears and not the one that the face has, so nothing can be said of how alike they are.
  const pixelCount = patch.width * patch.height;
  const wanted = {
    speech: new Float32Array(renderer.wants.speechSamples),
    reference: { patch, mesh },
    mask: Buffer.alloc(pixelCount).fill(255, pixelCount / 2),
  };
  const isNeural = loaded.parameters.wants !== undefined;
  const leastDb = isNeural ? -Infinity : leastUnchangedDb;
  const render = () =>
    within(async (signal) => {
      const measured = await renderer.subject({ patch, mesh, about: { coding } }, null, signal);
      const about = { coding, subject: measured.subject, style: STYLES[0] } as const;
      const mouth = { patch, mesh, about };
      return { ...measured, ...(await renderer.render(mouth, { target, wanted }, signal)) };
    });
  return {
    warmUp: async () => void (await render()),
    golden: async () => {
      const [first, again] = [await render(), await render()];
      const large = { ...patch, channels: 3, pixels: first.pixels } as const;
      const { psnr } = likeness({ ...patch, channels: 3 }, large);
      const found = `${loaded.name}: a face with the mouth that it has is the same within ${psnr.toFixed(1)} dB`;
      const faults = [
        ...(psnr >= leastDb ? [] : [`expected at least ${leastDb} dB`]),
        ...(first.subject.every(Number.isFinite) ? [] : ['expected a SUBJECT without NaN']),
        ...(isKept(patch.pixels, first) ? [] : ['expected pixels outside of MASK as they were']),
        ...(first.pixels.equals(again.pixels)
          ? []
          : ['expected the same answer to the same face, got another one']),
      ];
      return { ok: faults.length === 0, detail: [found, ...faults].join('; ') };
    },
    work: async () => void (await render()),
  };
};

/** Whether every pixel that the mask leaves out is as it was. */
const isKept = (before: Buffer, { pixels, mask }: Pick<Rendered, 'pixels' | 'mask'>): boolean =>
  mask.every(
    (share, at) =>
      share > 0 || before.subarray(3 * at, 3 * at + 3).equals(pixels.subarray(3 * at, 3 * at + 3)),
  );
