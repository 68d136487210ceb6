import type { Colour, VideoInfo } from './info.ts';

const QUALITY = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/**
 * Options of ffmpeg's scale filter that make RGB of the source's codes. Everything is named: ffmpeg's own
 * defaults differ between versions, and take chroma to lie where it rarely does (half a pixel off, times the scale).
 */
export const toRgb = ({ colour, pixelFormat, chromaCentred }: VideoInfo): string => {
  const codes = colour.matrix
    ? [`in_color_matrix=${scalerName(colour.matrix)}`, `in_range=${colour.fullRange ? 'pc' : 'tv'}`]
    : [];
  const across = `in_h_chr_pos=${chromaCentred ? 128 : 0}`;
  const chroma = /420|nv12|nv21|p01\d/.test(pixelFormat)
    ? [across, 'in_v_chr_pos=128']
    : /42[12]|41[01]/.test(pixelFormat)
      ? [across]
      : [];
  return [...codes, ...chroma, 'out_range=pc', QUALITY].join(':');
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
