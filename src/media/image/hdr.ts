/**
 * HDR pictures as sRGB. The networks, and the viewers of results, know codes of usual screens; PQ and HLG spread theirs over
 * light up to 50 times as strong as the white of these.
 */
import { setImmediate } from 'node:timers/promises';
import type { Picture } from '../../frame.ts';
import type { Hdr } from '../info.ts';

/** Candela per square metre: white paper in HDR, and the brightest that HDR screens usually show (ITU-R BT.2408). */
const WHITE = 203;
const BRIGHTEST = 1000;
/** Pixels between which other work of this process has its turn: some 10 ms. */
const PIECE = 100_000;

/**
 * The same picture in sRGB. Light up to white paper's stays about as it is; where the picture has brighter light, what is near
 * white and above is pressed together below sRGB's white. Of colours that sRGB does not have each channel is cut off.
 *
 * picture: samples of 16 bits, little-endian, in `hdr`; its `depth` is not read. depth: of the result; undefined: 8.
 */
export const asSrgb = async (picture: Picture, hdr: Hdr, depth?: 16): Promise<Picture> => {
  const { channels } = picture;
  const codes = new Uint16Array(new Uint8Array(picture.pixels).buffer);
  const samples = depth ? codes : new Uint8Array(codes.length);
  const steps = depth ? 65_535 : 255;
  const { lightOf, gainOf } = transfers[hdr.transfer];
  const [light, gain] = [table(lightOf), table(gainOf)];
  const brightest = lightOf((await highest(codes, channels)) / MOST);
  const peak = Math.min(Math.max(brightest * gainOf(brightest), WHITE), BRIGHTEST);
  // By the square root of light, as dark codes are close together.
  const shown = table((root) => steps * srgbCode(pressed(root ** 2 * peak, peak) / WHITE));
  const [rr, rg, rb, gr, gg, gb, br, bg, bb] = TO_SRGB[hdr.primaries];

  const convert = (i: number): void => {
    const r = light[codes[i] ?? 0] ?? 0;
    const g = light[codes[i + 1] ?? 0] ?? 0;
    const b = light[codes[i + 2] ?? 0] ?? 0;
    const red = rr * r + rg * g + rb * b;
    const green = gr * r + gg * g + gb * b;
    const blue = br * r + bg * g + bb * b;
    const scale = at(gain, 0.2126 * red + 0.7152 * green + 0.0722 * blue) / peak;
    samples[i] = Math.round(at(shown, Math.sqrt(Math.max(red * scale, 0))));
    samples[i + 1] = Math.round(at(shown, Math.sqrt(Math.max(green * scale, 0))));
    samples[i + 2] = Math.round(at(shown, Math.sqrt(Math.max(blue * scale, 0))));
    if (channels === 4) samples[i + 3] = Math.round(((codes[i + 3] ?? 0) / MOST) * steps);
  };
  await eachPixel(codes.length, channels, convert);
  const pixels = Buffer.from(samples.buffer);
  return {
    width: picture.width,
    height: picture.height,
    channels,
    pixels,
    ...(depth && { depth }),
  };
};

/** The highest sample of 16 bits. */
const MOST = 65_535;

/** Values of a function for 0 to 1, in equal steps. */
const table = (value: (part: number) => number): Float32Array =>
  Float32Array.from({ length: MOST + 1 }, (_, i) => value(i / MOST));
const at = (values: Float32Array, part: number): number =>
  values[Math.min(Math.round(MOST * part), MOST)] ?? 0;

/** Calls `visit` with the place of each pixel's first sample. */
const eachPixel = async (length: number, channels: number, visit: (i: number) => void) => {
  for (let from = 0; from < length; from += PIECE * channels) {
    const to = Math.min(from + PIECE * channels, length);
    for (let i = from; i < to; i += channels) visit(i);
    await setImmediate();
  }
};

/** Of the samples of colours, without alpha. */
const highest = async (codes: Uint16Array, channels: number): Promise<number> => {
  let most = 0;
  await eachPixel(codes.length, channels, (i) => {
    most = Math.max(most, codes[i] ?? 0, codes[i + 1] ?? 0, codes[i + 2] ?? 0);
  });
  return most;
};

/** Candela per square metre for a code of PQ, and back (ITU-R BT.2100, table 4). */
const [M1, M2, C1, C2, C3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875] as const;
const pqLight = (code: number): number => {
  const root = code ** (1 / M2);
  return 10_000 * (Math.max(root - C1, 0) / (C2 - C3 * root)) ** (1 / M1);
};
const pqCode = (light: number): number => {
  const power = (light / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
};

/** Light of the scene, 1 at most, for a code of HLG (ITU-R BT.2100, table 5). */
const [A, B, C] = [0.17883277, 0.28466892, 0.55991073] as const;
const hlgLight = (code: number): number =>
  code <= 0.5 ? code ** 2 / 3 : (Math.exp((code - C) / A) + B) / 12;

/** gainOf: by how much the screen's light is stronger, for the luminance: HLG's is for one of 1000 candela per square metre. */
const transfers = {
  pq: { lightOf: pqLight, gainOf: () => 1 },
  hlg: { lightOf: hlgLight, gainOf: (luminance: number) => BRIGHTEST * luminance ** 0.2 },
} as const;

/** Light of up to `peak` as light of up to WHITE: a spline from a knee on, in codes of PQ (ITU-R BT.2390, 5.4.1). */
const pressed = (light: number, peak: number): number => {
  const end = pqCode(peak);
  const most = pqCode(WHITE) / end;
  const knee = 1.5 * most - 0.5;
  const code = Math.min(pqCode(light) / end, 1);
  if (peak === WHITE || code <= knee) return light;
  const t = (code - knee) / (1 - knee);
  const spline =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee +
    (t ** 3 - 2 * t ** 2 + t) * (1 - knee) +
    (3 * t ** 2 - 2 * t ** 3) * most;
  return pqLight(spline * end);
};

const srgbCode = (light: number): number =>
  light <= 0.0031308 ? 12.92 * light : Math.min(1.055 * light ** (1 / 2.4) - 0.055, 1);

/** Light of red, green and blue as that of sRGB's, row by row; all with the white D65. */
const TO_SRGB = {
  bt709: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  p3: [1.22494, -0.22494, 0, -0.042057, 1.042057, 0, -0.019638, -0.078636, 1.098274],
  bt2020: [
    1.660491, -0.587641, -0.07285, -0.12455, 1.1329, -0.008349, -0.018151, -0.100579, 1.11873,
  ],
} as const;
