/** Frames of video to the models that enlarge them as they are, in 4:2:0, and back. */
import { scaled, type YuvPicture, yuvBytes } from '../../frame.ts';
import { type Memory, openMemory } from '../../memory.ts';
import { int32, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { bytes, into, type LoadedModel, openModel, type Slot } from './model.ts';
import { byScale, type Upscaler, upscalerSlot } from './upscaler.ts';

type Realtime = Pick<Upscaler, 'reach'> & {
  /**
   * The frames, all of one size, at `scale`; in `memory`, which has room for them all, where it is given. After an abort a late
   * answer may still be written to it. The signal's reason is thrown on abort.
   */
  run(
    frames: readonly YuvPicture[],
    scale: number,
    signal: AbortSignal,
    memory?: Buffer,
  ): Promise<readonly YuvPicture[]>;
};

/** It takes pictures too, as every upscaler does. */
export const realtimeSlot = (model: string): Slot => {
  const { name, contract } = upscalerSlot(model);
  const frames = { name: 'FRAMES', type: 'TYPE_UINT8', dims: [-1, -1] } as const;
  return {
    name,
    contract: {
      ...contract,
      inputs: [...contract.inputs, frames, { name: 'SIZE', type: 'TYPE_INT32', dims: [2] }],
      outputs: [...contract.outputs, frames],
    },
  };
};

/** `sending`: what the frames of a call are put together in. */
export const openRealtime = (
  transport: Transport,
  loaded: LoadedModel,
  sending: Memory = openMemory(),
): Realtime => {
  const ask = openModel(transport, loaded);
  return {
    reach: byScale(loaded, 'reach'),
    run: async (frames, scale, signal, memory) => {
      const [first] = frames;
      if (!first) return [];
      const [small, large] = [first, scaled(first, scale)];
      const [count, bytesOfOne] = [frames.length, yuvBytes(small)];
      const sent = sending.take(count * bytesOfOne);
      for (const [at, { pixels }] of frames.entries()) pixels.copy(sent, at * bytesOfOne);
      const inputs = [
        uint8('FRAMES', [count, bytesOfOne], sent),
        int32('SIZE', [small.width, small.height]),
        int32('SCALE', [scale]),
      ];
      const each = yuvBytes(large);
      const wanted = [bytes('FRAMES', count, each)];
      const of = await ask(inputs, memory ? into(memory, wanted) : wanted, signal);
      // Not after a failure: it may still be read then.
      sending.give(sent);
      const { data } = of('FRAMES');
      return frames.map((_, at) => ({
        ...large,
        pixels: data.subarray(at * each, (at + 1) * each),
      }));
    },
  };
};
