/** A key that nobody else has. Not `crypto.randomUUID`: browsers have that only on https pages and on their own machine. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
