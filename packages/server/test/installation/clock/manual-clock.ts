import type { SystemClock } from '../../../src/installation/clock/system-clock.ts';

/** The clocks of a machine, moved by hand. */
export class ManualClock implements SystemClock {
  #nowMs: number;
  #elapsedMs = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.#nowMs += ms;
    this.#elapsedMs += ms;
  }

  /** Sets the time of day, back or forth, while no time passes. */
  step(ms: number): void {
    this.#nowMs += ms;
  }
}
