import { evened, type Size } from '../frame.ts';
import type { ChromaPosition, Colour, VideoInfo } from './info.ts';

const QUALITY = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** The chroma position of the output: that of H.264. */
const LEFT = 'out_h_chr_pos=0:out_v_chr_pos=128';

/** Across and down, in 256ths of a luma pixel, from the first of the two that share a chroma sample. */
const positions: Record<ChromaPosition, readonly [number, number]> = {
  left: [0, 128],
  top: [128, 0],
  right: [256, 128],
  bottom: [128, 256],
  centre: [128, 128],
  topleft: [0, 0],
  topright: [256, 0],
  bottomright: [256, 256],
  bottomleft: [0, 256],
};

/**
 * Filters that make RGB of the source's codes. Every option of the scaler is set: ffmpeg's own defaults differ between
 * releases, and assume a chroma position that is rare (an error of half a pixel, times the scale). See decision 156.
 */
export const toRgb = (info: VideoInfo): string[] => {
  const { size, pixelFormat } = info;
  const codes = [...sourceCodes(info), 'out_range=pc', QUALITY].join(':');
  const scaling = (fit: string) => [`${fit}:${codes}`, 'format=rgb24'];
  return /^yuvj?42[02]p(?:\d+[lb]e)?$/.test(pixelFormat)
    ? onEvenSides(size, scaling, longerPlanes(pixelFormat))
    : scaling(`scale=w=${size.width}:h=${size.height}`);
};

/** Filters that make 4:2:0 smaller, for pictures that only models see: none where it has that size already. */
export const smallYuv = (from: Size, to: Size): string[] =>
  to.width === from.width && to.height === from.height
    ? []
    : [`scale=w=${to.width}:h=${to.height}:flags=area`];

const sourceCodes = ({ colour, pixelFormat, chroma }: VideoInfo): string[] => {
  const codes = colour.matrix
    ? [`in_color_matrix=${scalerName(colour.matrix)}`, `in_range=${colour.fullRange ? 'pc' : 'tv'}`]
    : [];
  const [across, down] = positions[chroma];
  const shared = {
    across: /42[012]|41[01]|nv|p01\d|yuyv|uyvy|yvyu/.test(pixelFormat),
    down: isHalvedDown(pixelFormat),
  };
  return [
    ...codes,
    ...(shared.across ? [`in_h_chr_pos=${across}`] : []),
    ...(shared.down ? [`in_v_chr_pos=${down}`] : []),
  ];
};

/** Whether chroma has fewer rows than luma. */
const isHalvedDown = (pixelFormat: string): boolean => /420|410|nv12|nv21|p01\d/.test(pixelFormat);

/**
 * Filters that make 8-bit 4:2:0 of the source's codes, in its own matrix and range, chroma on the left columns. The
 * bytes of a source that is so already stay the same.
 */
export const toYuv = (info: VideoInfo): string[] => {
  const { size, colour, pixelFormat, chroma } = info;
  const fit = `scale=w=${size.width}:h=${size.height}`;
  if (['yuv420p', 'yuvj420p'].includes(pixelFormat) && chroma === 'left')
    return [fit, 'format=yuv420p|yuvj420p'];
  if (colour.matrix === null)
    return onEvenSides(size, (even) => [`${even}:${fromRgb(colour)}`, 'format=yuv420p']);
  const range = `out_range=${colour.fullRange ? 'pc' : 'tv'}`;
  // Of pictures that state no matrix, the filter's own choice is BT.601, whatever matrix it is told that they have.
  const same = `out_color_matrix=${scalerName(colour.matrix)}`;
  const codes = [...sourceCodes(info), same, range, QUALITY].join(':');
  const halved = (to: string) => [`${to}:${LEFT}:${codes}`, 'format=yuv420p'];
  if (/444/.test(pixelFormat)) return onEvenSides(size, halved);
  if (/^yuvj?422p/.test(pixelFormat)) return onEvenSides(size, halved, longerPlanes(pixelFormat));
  // Between two 4:2:0 pictures ffmpeg does not move chroma, so it goes through 4:4:4.
  return isHalvedDown(pixelFormat) && chroma !== 'left'
    ? [`scale=${codes}`, 'format=yuv444p', `${fit}:${range}:${LEFT}:${QUALITY}`, 'format=yuv420p']
    : halved(fit);
};

/**
 * Filters that scale to `size`. ffmpeg's scaler takes the ratio of chroma's rounded sizes: 99 columns become 50 of chroma,
 * each 1.98 wide, a whole pixel off at the right. So an odd side is longer in between, by a copy of its last column or row.
 */
const onEvenSides = (
  size: Size,
  scaling: (fit: string) => string[],
  lengthen: (right: number, bottom: number) => string[] = longer,
): string[] => {
  const { width, height } = evened(size);
  const [right, bottom] = [width - size.width, height - size.height];
  const filters = scaling(`scale=w=${width}:h=${height}`);
  if (right + bottom === 0) return filters;
  return [
    ...lengthen(right, bottom),
    ...filters,
    `crop=w=${size.width}:h=${size.height}:x=0:y=0:exact=1`,
  ];
};

/** For pictures whose chroma is whole. */
const longer = (right: number, bottom: number): string[] => [
  `pad=w=iw+${right}:h=ih+${bottom}`,
  `fillborders=right=${right}:bottom=${bottom}:mode=smear`,
];

/**
 * For 4:2:0 and 4:2:2: luma is lengthened, and chroma only down, where it has all rows. `pad` on all planes at once would
 * overwrite the last chroma samples, which reach over the longer side already.
 */
const longerPlanes =
  (pixelFormat: string) =>
  (right: number, bottom: number): string[] => {
    const luma = longer(right, bottom).join();
    const chroma = isHalvedDown(pixelFormat) ? 'null' : longer(0, bottom).join();
    const planes = `[y]${luma}[ly];[u]${chroma}[lu];[v]${chroma}[lv]`;
    return [
      `format=${pixelFormat},extractplanes=y+u+v[y][u][v];${planes};[ly][lu][lv]mergeplanes=0x001020:${pixelFormat}`,
    ];
  };

/** What a video is behind `toYuv`. */
export const asYuv = (info: VideoInfo): VideoInfo => ({
  ...info,
  pixelFormat: 'yuv420p',
  chroma: 'left',
  colour: outputColour(info.colour),
});

/**
 * How the output's codes become colours: as the source's do; BT.709 in limited range where those are RGB. What the source does
 * not state is what goes with its matrix. Browsers ignore a statement that is not whole, and guess by the size of the pictures:
 * a video of 360 lines and its enlargement to 720 then had different colours (red of 199, 40, 39 was 213, 55, 39 in Chromium).
 * See decision 117.
 */
export const outputColour = ({ matrix, fullRange, primaries, transfer }: Colour) => {
  const usual = companions[matrix ?? 'bt709'];
  return {
    matrix: matrix ?? 'bt709',
    fullRange: matrix !== null && fullRange,
    primaries: primaries ?? usual?.primaries ?? null,
    transfer: transfer ?? usual?.transfer ?? null,
  };
};

const bt2020 = { primaries: 'bt2020', transfer: 'bt2020-10' } as const;
/** What goes with a matrix, in the standards that name it. */
const companions: Readonly<Record<string, Pick<Colour, 'primaries' | 'transfer'>>> = {
  bt709: { primaries: 'bt709', transfer: 'bt709' },
  bt470bg: { primaries: 'bt470bg', transfer: 'smpte170m' },
  smpte170m: { primaries: 'smpte170m', transfer: 'smpte170m' },
  smpte240m: { primaries: 'smpte240m', transfer: 'smpte240m' },
  bt2020nc: bt2020,
  bt2020c: bt2020,
};

/** Options of the scale filter that make 4:2:0 of RGB, with chroma on the left columns, where H.264 has it. */
export const fromRgb = (source: Colour): string => {
  const { matrix, fullRange } = outputColour(source);
  return [
    'in_range=pc',
    `out_color_matrix=${scalerName(matrix)}:out_range=${fullRange ? 'pc' : 'tv'}`,
    LEFT,
    QUALITY,
  ].join(':');
};

const scalerName = (matrix: string): string => (matrix.startsWith('bt2020') ? 'bt2020' : matrix);
