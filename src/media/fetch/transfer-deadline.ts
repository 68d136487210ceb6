/** Time limits of one transfer: one for all of it, and one at a time for whatever is expected next. */
export class Patience {
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #total: NodeJS.Timeout;
  #next: NodeJS.Timeout | undefined;

  constructor(totalMs: number, signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#over.signal]);
    this.#total = this.#timer(totalMs, 'it was not done');
  }

  /** From now on the transfer is over unless `expect` is called again within `ms`. */
  expect(ms: number, failing: string): void {
    clearTimeout(this.#next);
    this.#next = this.#timer(ms, failing);
  }

  /** What took too long, if something did. */
  get exceeded(): string | null {
    return this.#over.signal.aborted ? String(this.#over.signal.reason) : null;
  }

  end(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#next);
  }

  #timer(ms: number, failing: string): NodeJS.Timeout {
    return setTimeout(() => this.#over.abort(`${failing} within ${ms / 1000} s`), ms);
  }
}
