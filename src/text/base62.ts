/** Letters and digits for keys and ids. Pure. */
import { createHash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62n;

/** Bytes as a big-endian number in base 62, padded so that equal lengths sort as the bytes do. */
export const base62 = (bytes: Uint8Array): string => {
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let left = digitsFor(bytes.length); left > 0; left -= 1) {
    text = ALPHABET.charAt(Number(value % BASE)) + text;
    value /= BASE;
  }
  return text;
};

/** Six characters that a typo almost never keeps: one in 4 billion. */
export const checksum = (text: string): string =>
  base62(createHash('sha256').update(text).digest().subarray(0, 4));

const digitsFor = (byteCount: number): number => Math.ceil((byteCount * 8) / Math.log2(62));
