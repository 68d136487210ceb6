/** A failure of set-up or start that is printed as its message only: what is wrong and what to do about it. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError';
}

/** By its name: what was compiled into `dist/` has a class of its own. @param {unknown} error @returns {error is Error} */
export const isSetupError = (error) => error instanceof Error && error.name === 'SetupError';
