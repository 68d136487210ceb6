/** A failure that is printed as its message only. Any other error is a bug and is printed with its stack. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
