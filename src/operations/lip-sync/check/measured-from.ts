/** Where in the result mouth and sound are compared: pure. */
import type { Heard } from '../../../triton/clients/speech.ts';
import { speechSeconds } from '../faces/lips.ts';

/** Between the places that are tried. */
const STEP = 0.5;
/** The first stretch with this share of the most speech that any stretch has is measured: later ones take longer to decode. */
const ENOUGH = 0.5;

/**
 * The index of the frame from which `seconds` of the result have enough speech to be measured: before an introduction of
 * music or noise has passed, the mouth is at rest, and what it correlates with is chance.
 *
 * times: of the frames. first: the one from which on the mouth moves.
 */
export const measuredFrom = (
  heard: Heard,
  { times, first }: { readonly times: readonly number[]; readonly first: number },
  seconds: number,
): number => {
  const from = times[first] ?? 0;
  const last = Math.max(from, (times.at(-1) ?? 0) - seconds);
  const places = Array.from({ length: Math.floor((last - from) / STEP) + 2 }, (_, i) =>
    Math.min(last, from + i * STEP),
  );
  const speech = places.map((place) => speechSeconds(heard, place, place + seconds));
  const enough = ENOUGH * Math.max(...speech);
  const place = places[speech.findIndex((heardThere) => heardThere >= enough)] ?? from;
  return Math.max(
    first,
    times.findIndex((time) => time >= place),
  );
};
