/** What `Idempotency-Key` may be: printable ASCII. */
export const idempotencyKey = /^[\x20-\x7e]{1,255}$/;
