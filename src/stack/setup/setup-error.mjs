/** A failure of set-up or start that is printed as its message only: what is wrong and what to do about it. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError';
}

/** By its name, as what was compiled into `dist/` has classes of its own; wrong variables are told in the same way. @param {unknown} error @returns {error is Error} */
export const isSetupError = (error) =>
  error instanceof Error && ['SetupError', 'EnvironmentError'].includes(error.name);
