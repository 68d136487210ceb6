/** What stops the set-up and what to do about it, in one sentence for the person at the terminal. */
export class Lack extends Error {}
