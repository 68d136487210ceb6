/** Videos for a visual comparison: the source and each model's output side by side, with the new sound. */
import { ffmpeg } from './media.ts';
import type { Run } from './plan.ts';

const HEIGHT = 480;
const FPS = 30;

/** From left to right the source, then the outputs; as long as the shortest of them. */
export const besideEachOther = async (
  run: Run,
  outputs: readonly string[],
  target: string,
): Promise<void> => {
  const still = run.role === 'portrait' ? ['-loop', '1', '-framerate', `${FPS}`] : [];
  const inputs = [...still, '-i', run.source, ...outputs.flatMap((path) => ['-i', path])];
  const columns = [run.source, ...outputs].map(
    (_, at) => `[${at}:v:0]scale=-2:${HEIGHT},fps=${FPS},setsar=1,format=yuv420p[v${at}]`,
  );
  const all = columns.map((_, at) => `[v${at}]`).join('');
  const graph = [...columns, `${all}hstack=inputs=${columns.length}:shortest=1[out]`];
  await ffmpeg([
    ...[...inputs, '-filter_complex', graph.join(';'), '-map', '[out]', '-map', '1:a:0'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-shortest', target],
  ]);
};
