/** Two time limits of one transfer: one for all of it, and one for each step. */
export class TransferDeadline {
  /** Aborted when one of the limits is exceeded, or the given signal is aborted. */
  readonly signal: AbortSignal;
  readonly #expired = new AbortController();
  readonly #total: NodeJS.Timeout;
  #step: NodeJS.Timeout | undefined;

  constructor(totalMs: number, signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#expired.signal]);
    this.#total = this.#timer(totalMs, 'it was not complete');
  }

  /** Begins a step: the transfer is aborted unless the next step begins within `ms`; `fault` states what did not happen. */
  step(ms: number, fault: string): void {
    clearTimeout(this.#step);
    this.#step = this.#timer(ms, fault);
  }

  /** The limit that was exceeded, in words; null while none is. */
  get exceeded(): string | null {
    return this.#expired.signal.aborted ? String(this.#expired.signal.reason) : null;
  }

  end(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#step);
  }

  #timer(ms: number, fault: string): NodeJS.Timeout {
    return setTimeout(() => this.#expired.abort(`${fault} within ${ms / 1000} s`), ms);
  }
}
