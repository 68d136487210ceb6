/** A failure of set-up or start that is printed as its message only: what is wrong and what to do about it. */
export class SetupError extends Error {}
