/** What a model is asked to do before callers get it, by the kind of its slot. */
import { Failure } from '../errors.ts';
import type { Picture } from '../frame.ts';
import type { LoadedModel } from '../triton/clients/model.ts';
import { openUpscaler } from '../triton/clients/upscaler.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { goldenPicture, likeness } from './golden.ts';

export type Proof = {
  /** Small work of every kind. Throws a Failure where the model fails or takes too long. */
  warmUp(): Promise<void>;
  /** Work whose result is known within a bound. */
  golden(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  /** As much work at once as the model gets from callers, for its memory. */
  work(): Promise<void>;
};

export type ProofParts = {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly bounds: { readonly warmUpMs: number; readonly goldenDb: number };
};

export const proofOf = (loaded: LoadedModel, parts: ProofParts): Proof =>
  loaded.parameters.scales === undefined ? unproven(loaded) : upscalerProof(loaded, parts);

const unproven = ({ slot }: LoadedModel): Proof => ({
  warmUp: async () => {},
  golden: async () => ({ ok: true, detail: `no golden input is known for ${slot}` }),
  work: async () => {},
});

/** The largest difference of a channel's mean, of 255, that no eye sees. */
const largestShift = 4;
/** Side of the picture of which the memory is measured: a tile of the upscalers. */
const tileSide = 256;

const upscalerProof = (loaded: LoadedModel, { transport, signal, bounds }: ProofParts): Proof => {
  const upscaler = openUpscaler(transport, loaded);
  const run = async (picture: Picture, scale: number): Promise<Picture> => {
    const late = AbortSignal.timeout(bounds.warmUpMs);
    try {
      return await upscaler.run(picture, scale, AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      const reason = `no answer within ${bounds.warmUpMs / 1000} s`;
      throw new Failure('inference_failed', { model: loaded.name, reason }, { cause: error });
    }
  };
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
