import type { Effect } from '../../effects/effect.ts';

/** What reading a signature found: its effects, and why they may not be all. */
export class Findings {
  readonly effects: Effect[] = [];
  readonly #reasons = new Set<string>();

  add(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Notes a reason, in one plain sentence, why not everything was understood. The same reason counts once. */
  doubt(reason: string): void {
    this.#reasons.add(reason);
  }

  get unparsed(): readonly string[] {
    return [...this.#reasons];
  }
}
