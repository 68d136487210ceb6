import { inOrder } from '../../../async/in-order.ts';
import { type YuvFrame, yuvBytes } from '../../../frame.ts';
import type { Memory } from '../../../memory.ts';
import { SHAPE } from '../../../triton/clients/mouth-plan.ts';
import {
  type MouthRender,
  type Rendering,
  renderedBytes,
} from '../../../triton/clients/mouth-render.ts';
import type { BenchHooks } from '../bench-hooks.ts';
import { interpolateShape } from '../faces/lips.ts';
import type { MeshFile } from '../faces/mesh-file.ts';
import type { Sighting } from '../faces/track.ts';
import type { OutputFrame } from '../plan/output-frame.ts';
import { eased } from './eased.ts';
import { fades, opacityOf } from './fades.ts';
import { mix, mouthIn, openPatchMemory, paste, patchOf, putBack } from './patch.ts';
import { type References, referenceFor } from './references.ts';
import type { SourceFrame } from './source-frames.ts';
import { wantedOf } from './wanted.ts';

/** What is to be rendered. */
export type MouthScript = {
  readonly frames: readonly OutputFrame[];
  /** The speaker's face in each picture of the clip. */
  readonly chosen: readonly (Sighting | null)[];
  /** A mouth shape for each output frame. */
  readonly targets: Float32Array;
  readonly rendering: Rendering;
  /** The inside of the subject's mouth, merged from the clip's pictures. Null: it is drawn. */
  readonly inside: Buffer | null;
  /** The new sound, 16 kHz, on the clock of the output. */
  readonly pcm: Float32Array;
  /** Null where the renderer wants none. */
  readonly references: References | null;
};

type MeshedScript = MouthScript & { readonly meshes: MeshFile };

/** What it is rendered with. */
type RenderMeans = {
  readonly render: MouthRender;
  readonly inFlight: number;
  readonly signal: AbortSignal;
  readonly hooks: BenchHooks | undefined;
  /** Gets the memory of each frame that the receiver has finished with. */
  readonly memory: Memory;
};

type RenderedFrame = YuvFrame & {
  /** Whether its mouth was to move and was left as it was, since no face was found. */
  readonly passedThrough: boolean;
};

/**
 * The frames with the mouth as planned, in order; only bytes under the renderer's mask change. A frame belongs to the
 * receiver until it asks for the next.
 */
export async function* renderMouths(
  sources: AsyncIterable<SourceFrame>,
  script: MeshedScript,
  means: RenderMeans,
): AsyncGenerator<RenderedFrame, void, undefined> {
  const { hooks, inFlight, memory } = means;
  const patches = openPatchMemory();
  const renderMouthInto = mouthRenderer(script, means, patches);

  const renderFrame = async ({ crossfade, ...frame }: SourceFrame) => {
    const wanted = script.frames[frame.index];
    if (!wanted) throw new Error(`there is no output frame ${frame.index}`);
    const { source } = wanted;
    const before = hooks?.rendered ? { ...frame, pixels: Buffer.from(frame.pixels) } : frame;
    const moves = wanted.moves && (hooks?.renders?.(wanted.time) ?? true);
    const made = moves ? await renderMouthInto(frame, source) : UNCHANGED;
    if (crossfade && wanted.crossfade) {
      if (hooks?.rendered) mix(before, crossfade, crossfade.share);
      if (moves) {
        const other = await renderMouthInto(crossfade, wanted.crossfade.source);
        if (other.memory) patches.give(other.memory);
      }
      mix(frame, crossfade, crossfade.share);
      memory.give(crossfade.pixels);
    }
    // A face whose mouth the renderer leaves alone is turned away, or something covers it.
    const seen = !made.rect || made.changed;
    const { cut } = wanted;
    return { frame, source, before, moves, made, seen, cut, duration: frame.duration };
  };
  type Made = Awaited<ReturnType<typeof renderFrame>>;
  const ease = async (shown: Made, share: number): Promise<Made> => {
    const { frame, source, made } = shown;
    if (!made.rect || script.frames[frame.index]?.crossfade) return shown;
    putBack(frame, made.rect, made.patch);
    patches.give(made.memory);
    return { ...shown, made: await renderMouthInto(frame, source, share) };
  };
  for await (const shown of eased(inOrder(sources, inFlight, renderFrame), ease)) {
    const { frame, before, moves, made } = shown;
    const after = { ...frame, passedThrough: moves && !made.changed };
    const { mesh, rect, mask } = made;
    hooks?.rendered?.({ index: frame.index, mesh, rect, mask, before, after });
    if (made.memory) patches.give(made.memory);
    yield after;
    // A bench may keep the frames that its hooks get.
    if (!hooks) memory.give(after.pixels);
  }
}

const UNCHANGED = {
  mesh: null,
  rect: null,
  patch: null,
  mask: null,
  memory: null,
  changed: false,
} as const;

/**
 * Renders into a frame, which shows the clip's picture `source`, the mouth that is planned for the frame's index, at most
 * `most` of it (0..1). `memory` of the result, in which its patch (as it was) and its mask lie, goes back to `patches`.
 */
const mouthRenderer = (
  { frames, chosen, meshes, targets, rendering, inside, pcm, references }: MeshedScript,
  { render, signal }: RenderMeans,
  patches: Memory,
) => {
  const faded = fades(
    frames.map(({ moves, source, cut, duration }) => {
      const seen = !moves || !!chosen[source];
      return { seen, cut, duration };
    }),
  );
  return async (frame: YuvFrame, source: number, most = 1) => {
    const { index } = frame;
    const face = chosen[source];
    const mesh = face ? await meshes.read(face.mesh) : null;
    const rect = mesh && patchOf(mesh, frame, render);
    if (!rect) return { ...UNCHANGED, mesh };
    const share = Math.min(most, faded[index] ?? 1) * (frames[index]?.opacity ?? 1);
    const opacity = opacityOf(share, rendering.style);
    if (opacity === 0) return { ...UNCHANGED, mesh };
    const planned = targets.subarray(index * SHAPE, (index + 1) * SHAPE);
    const target = share < 1 ? interpolateShape(mesh, planned, share) : planned;
    const whole = yuvBytes(rect);
    const memory = patches.take(whole + renderedBytes(rect, rendering.coding));
    const mouth = mouthIn(frame, mesh, { rect, about: rendering, memory });
    const reference = references && referenceFor(references, source);
    const wanted = wantedOf(render.wants, pcm, { time: frame.time, ...mouth, reference });
    const shown = { target, inside, wanted, memory: memory.subarray(whole) };
    const made = await render.render(mouth, shown, signal);
    const changed = paste(frame, rect, made, opacity);
    return { mesh, rect, patch: mouth.patch, mask: made.mask, changed, memory };
  };
};
