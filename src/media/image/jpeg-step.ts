const QUANTISATION = 0xffdb;
/** The first nine frequencies behind the constant, in the order of a table, at quality 50 (ITU-T T.81, annex K). */
const USUAL = [11, 12, 14, 12, 10, 16, 14, 13, 14];
/** The mean of those and of the constant's: what a quality's step is counted in, as in enhance/upscale/damage.py. */
const USUAL_STEP = 13.2;

/**
 * By how many levels a JPEG rounds the low frequencies of its luma, 13.2 at quality 50, from the beginning of a segment; 0 for
 * a segment that does not begin with table 0, which is luma's in all that encoders write.
 */
export const stepOf = (head: Buffer): number => {
  const name = head.readUInt8(4);
  if (head.readUInt16BE(0) !== QUANTISATION || (name & 0x0f) !== 0) return 0;
  const isLong = name >> 4 === 1;
  const steps = USUAL.map((usual, i) => {
    const step = isLong ? head.readUInt16BE(7 + 2 * i) : head.readUInt8(6 + i);
    return step / usual;
  });
  const [, , , , median = 0] = steps.toSorted((a, b) => a - b);
  return median * USUAL_STEP;
};
