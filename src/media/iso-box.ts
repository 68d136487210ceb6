/**
 * The length of a box, head included, by its first 16 bytes (ISO 14496-12, 4.2): 32 bits, then the type; where these are
 * 1, 64 bits behind the type. 0: the box goes to the end of the file.
 */
export const boxBytes = (head: Buffer): number => {
  const short = head.readUInt32BE(0);
  return short === 1 ? Number(head.readBigUInt64BE(8)) : short;
};
