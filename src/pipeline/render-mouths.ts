import type { YuvFrame } from '../frame.ts';
import { SHAPE } from '../triton/models/mouth-plan.ts';
import type { MouthRender, Rendering } from '../triton/models/mouth-render.ts';
import { fades } from './choose-face.ts';
import { inOrder } from './in-order.ts';
import type { Lenders } from './lenders.ts';
import type { MeshFile } from './mesh-file.ts';
import { cut, meshIn, paste, patchOf } from './patch.ts';
import type { Sighting } from './track.ts';
import type { Watch } from './watch.ts';

/** Counts the frames that stay as they were. */
export type Passed = { frames: number };

type Cast = {
  readonly chosen: readonly (Sighting | null)[];
  readonly meshes: MeshFile;
  /** A mouth shape for each frame. */
  readonly targets: Float32Array;
  readonly about: Rendering;
  /** The mouths that are lent to each frame. */
  readonly lenders?: Lenders;
  readonly passed: Passed;
};

type Means = {
  readonly render: MouthRender;
  readonly inFlight: number;
  readonly signal: AbortSignal;
  readonly watch: Watch | undefined;
  /** Gets the memory of each frame that the receiver has finished with. */
  readonly spare: ArrayBufferLike[];
};

/**
 * The frames with the mouth as planned, in order; only bytes under the renderer's mask change. A frame is the
 * receiver's until it asks for the next.
 */
export async function* renderMouths(
  frames: AsyncIterable<YuvFrame>,
  { chosen, meshes, targets, about, lenders, passed }: Cast,
  { render, inFlight, signal, watch, spare }: Means,
): AsyncGenerator<YuvFrame> {
  const shares = fades(chosen.map((face) => face !== null));

  const work = async (frame: YuvFrame) => {
    const { index } = frame;
    const face = chosen[index];
    const mesh = face ? await meshes.read(face.mesh) : null;
    const rect = mesh && patchOf(mesh, frame, render);
    const before = watch?.rendered ? { ...frame, pixels: Buffer.from(frame.pixels) } : frame;
    const target = targets.subarray(index * SHAPE, (index + 1) * SHAPE);
    const rendered = rect
      ? await render.render(
          cut(frame, rect),
          meshIn(mesh, rect),
          target,
          about,
          signal,
          lenders?.of(index),
        )
      : null;
    const changed = rect && rendered && paste(frame, rect, rendered, shares[index] ?? 1);
    if (!changed) passed.frames += 1;
    return { index, mesh, rect, mask: rendered?.mask ?? null, before, after: frame };
  };
  for await (const done of inOrder(frames, inFlight, work)) {
    watch?.rendered?.(done);
    yield done.after;
    // Who watches may keep it.
    if (!watch) spare.push(done.after.pixels.buffer);
  }
}
