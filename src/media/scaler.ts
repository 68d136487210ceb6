import type { ChromaPlace, Colour, VideoInfo } from './info.ts';

const QUALITY = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** Across and down, in 256ths of a luma pixel, from the first of the two that share a chroma sample. */
const places: Record<ChromaPlace, readonly [number, number]> = {
  left: [0, 128],
  top: [128, 0],
  right: [256, 128],
  bottom: [128, 256],
  centre: [128, 128],
};

/**
 * Options of ffmpeg's scale filter that make RGB of the source's codes. Everything is named: ffmpeg's own defaults
 * differ between releases, and take chroma to lie where it rarely does (half a pixel off, times the scale).
 */
export const toRgb = ({ colour, pixelFormat, chroma }: VideoInfo): string => {
  const codes = colour.matrix
    ? [`in_color_matrix=${scalerName(colour.matrix)}`, `in_range=${colour.fullRange ? 'pc' : 'tv'}`]
    : [];
  const [across, down] = places[chroma];
  const shared = {
    across: /42[012]|41[01]|nv|p01\d|yuyv|uyvy|yvyu/.test(pixelFormat),
    down: /420|410|nv12|nv21|p01\d/.test(pixelFormat),
  };
  const placed = [
    ...(shared.across ? [`in_h_chr_pos=${across}`] : []),
    ...(shared.down ? [`in_v_chr_pos=${down}`] : []),
  ];
  return [...codes, ...placed, 'out_range=pc', QUALITY].join(':');
};

/** What the output's codes mean: as the source's do, or as is usual where those are RGB. */
export const outputColour = ({ matrix, fullRange, ...rest }: Colour) => ({
  ...rest,
  matrix: matrix ?? 'bt709',
  fullRange: matrix !== null && fullRange,
});

/** The way back from RGB, to 4:2:0 with chroma on the left columns, where H.264 has it. */
export const fromRgb = (source: Colour): string => {
  const { matrix, fullRange } = outputColour(source);
  return [
    'in_range=pc',
    `out_color_matrix=${scalerName(matrix)}:out_range=${fullRange ? 'pc' : 'tv'}`,
    'out_h_chr_pos=0:out_v_chr_pos=128',
    QUALITY,
  ].join(':');
};

const scalerName = (matrix: string): string => (matrix.startsWith('bt2020') ? 'bt2020' : matrix);
