/** Steps after which long work should pause. They take about a millisecond. */
const SLICE_STEPS = 20_000;

/**
 * The steps that all evaluations of one decision share.
 * INVARIANT: the steps of an evaluation depend only on the policy and the request. So the sum over all policies does not depend on their
 * order, and every replay exhausts the budget at the same policies.
 */
export class StepBudget {
  readonly limit: number;
  #spent = 0;
  #sliceEnds = SLICE_STEPS;

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  get isExhausted(): boolean {
    return this.#spent > this.limit;
  }

  /** Spends steps. Returns false if more were spent than there are. */
  spend(steps: number): boolean {
    this.#spent += steps;
    return this.#spent <= this.limit;
  }

  /** Whether the work since the last pause takes long enough for another one. */
  get isSliceOver(): boolean {
    if (this.#spent < this.#sliceEnds) return false;
    this.#sliceEnds = this.#spent + SLICE_STEPS;
    return true;
  }
}
