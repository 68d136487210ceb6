/** In seconds. */
type Span = { readonly start: number; readonly end: number };

/** How long the volume takes to change; it does so every 32 samples. */
const RAMP_SECONDS = 0.03;
const RAMP_SAMPLES = 32;

/** ffmpeg's filter for a sound that has this volume within the spans, and 1 elsewhere; without spans, all of it has it. */
export const volumeFilter = (volume: number, spans: readonly Span[] | undefined): string => {
  if (!spans) return `volume=${volume}`;
  const gain = `1-${1 - volume}*${within(joined(spans))}`;
  return `asetnsamples=n=${RAMP_SAMPLES}:p=0,volume=eval=frame:volume='${gain}'`;
};

/** Spans that are closer than one ramp of the volume become one. */
const joined = (spans: readonly Span[]): Span[] => {
  const isApart = (at: number): boolean => {
    const [before, after] = [spans[at - 1], spans[at]];
    return !before || !after || after.start - before.end >= RAMP_SECONDS;
  };
  const ends = spans.filter((_, at) => isApart(at + 1));
  return spans
    .filter((_, at) => isApart(at))
    .map(({ start }, at) => ({ start, end: ends[at]?.end ?? start }));
};

/**
 * ffmpeg's expression of the time t that is 0 outside of the spans, 1 in them and 0.5 at their edges. A binary tree: ffmpeg
 * fails on a sum of many terms.
 */
const within = (spans: readonly Span[]): string => {
  const half = spans.length >> 1;
  const [before, after] = [spans[half - 1], spans[half]];
  if (before && after) {
    const between = ((before.end + after.start) / 2).toFixed(6);
    return `if(lt(t,${between}),${within(spans.slice(0, half))},${within(spans.slice(half))})`;
  }
  if (!after) return '0';
  const inside = `min(t-${after.start.toFixed(6)},${after.end.toFixed(6)}-t)`;
  return `clip(${inside}/${RAMP_SECONDS}+0.5,0,1)`;
};
