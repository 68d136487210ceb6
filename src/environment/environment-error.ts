/** Variables of the environment that cannot be used. Programs print its message only: it names each variable and what was expected. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  /** faults: a line for each, which begins with the variable's name. */
  static of(faults: readonly string[]): EnvironmentError {
    return new EnvironmentError(`The environment has faults:\n  ${faults.join('\n  ')}`);
  }
}
