import { inOrder } from '../../../async/in-order.ts';
import type { YuvFrame } from '../../../frame.ts';
import { SHAPE } from '../../../triton/clients/mouth-plan.ts';
import type { MouthRender, Rendering } from '../../../triton/clients/mouth-render.ts';
import type { Watch } from '../bench-hooks.ts';
import { fades } from '../faces/choose-face.ts';
import { between } from '../faces/lips.ts';
import type { MeshFile } from '../faces/mesh-file.ts';
import type { Sighting } from '../faces/track.ts';
import type { Lenders } from '../plan/lenders.ts';
import type { Shot } from '../plan/timeline.ts';
import type { ShotFrame } from './output-frames.ts';
import { cut, meshIn, mix, paste, patchOf } from './patch.ts';

type Cast = {
  readonly shots: readonly Shot[];
  /** The speaker's face in each picture of the clip. */
  readonly chosen: readonly (Sighting | null)[];
  readonly meshes: MeshFile;
  /** A mouth shape for each shot. */
  readonly targets: Float32Array;
  readonly about: Rendering;
  /** The mouths that are lent to each shot. */
  readonly lenders: Lenders;
};

type Means = {
  readonly render: MouthRender;
  readonly inFlight: number;
  readonly signal: AbortSignal;
  readonly watch: Watch | undefined;
  /** Gets the memory of each frame that the receiver has finished with. */
  readonly spare: ArrayBufferLike[];
};

/** `passed`: the mouth was to move and stayed as it was, for want of a face. */
export type Rendered = YuvFrame & { readonly passed: boolean };

/**
 * The pictures of shots with the mouth as planned, in order; only bytes under the renderer's mask change. A frame is the
 * receiver's until it asks for the next.
 */
export async function* renderMouths(
  frames: AsyncIterable<ShotFrame>,
  cast: Cast,
  { render, inFlight, signal, watch, spare }: Means,
): AsyncGenerator<Rendered, void, undefined> {
  const { shots, chosen, meshes, targets, lenders } = cast;
  const about = { ...cast.about, subject: lenders.subject };
  const seen = shots.map(({ moves, source }) => !moves || !!chosen[source]);
  const shares = fades(seen);

  /** Renders the mouth in this picture of the clip as that shot wants it. */
  const speak = async (frame: YuvFrame, source: number) => {
    const { index } = frame;
    const face = chosen[source];
    const mesh = face ? await meshes.read(face.mesh) : null;
    const rect = mesh && patchOf(mesh, frame, render);
    if (!rect) return { mesh, rect: null, mask: null, changed: false };
    const share = (shares[index] ?? 1) * (shots[index]?.opacity ?? 1);
    const asked = targets.subarray(index * SHAPE, (index + 1) * SHAPE);
    const target = share < 1 ? between(mesh, asked, share) : asked;
    const lent = lenders.of(index);
    const mouth = { patch: cut(frame, rect), mesh: meshIn(mesh, rect), about };
    const rendered = await render.render(mouth, target, signal, lent);
    return { mesh, rect, mask: rendered.mask, changed: paste(frame, rect, rendered, shown(share)) };
  };

  const work = async ({ under, ...frame }: ShotFrame) => {
    const shot = shots[frame.index];
    if (!shot) throw new Error(`there is no shot ${frame.index}`);
    const before = watch?.rendered ? { ...frame, pixels: Buffer.from(frame.pixels) } : frame;
    const moves = shot.moves && (watch?.renders?.(shot.time) ?? true);
    const { changed, ...spoken } = moves ? await speak(frame, shot.source) : STILL;
    if (under && shot.under) {
      if (watch?.rendered) mix(before, under, under.share);
      if (moves) await speak(under, shot.under.source);
      mix(frame, under, under.share);
      spare.push(under.pixels.buffer);
    }
    const after = { ...frame, passed: moves && !changed };
    return { index: frame.index, ...spoken, before, after };
  };
  for await (const done of inOrder(frames, inFlight, work)) {
    watch?.rendered?.(done);
    yield done.after;
    // Who watches may keep it.
    if (!watch) spare.push(done.after.pixels.buffer);
  }
}

/** A mouth that is half of the way to its new shape hides what was there: until then it shines through, and is little apart. */
const shown = (share: number): number => Math.min(1, 2 * share);

const STILL = { mesh: null, rect: null, mask: null, changed: false };
