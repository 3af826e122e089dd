import type { ExplainedPart, Explanation } from '@countersign/policy';

/** A comparison in a policy, and the outcomes that cases covered. */
interface Point {
  readonly policyId: string;
  readonly field: string;
  readonly text: string;
  readonly seen: Set<string>;
}

/** Coverage of policies by cases. Every comparison should be true once and false once. */
export class Coverage {
  readonly #points = new Map<string, Point>();

  add({ policies }: Explanation): void {
    for (const { policyId, expressions } of policies) {
      for (const [field, part] of Object.entries(expressions)) if (part !== undefined) this.#visit(policyId, field, part);
    }
  }

  /** Covered outcomes. Each comparison has two. */
  get counts(): { readonly seen: number; readonly total: number } {
    const points = [...this.#points.values()];
    return { seen: points.reduce((sum, { seen }) => sum + seen.size, 0), total: points.length * 2 };
  }

  /** Outcomes without a case, one sentence each. */
  get gaps(): string[] {
    return [...this.#points.values()]
      .filter(({ seen }) => seen.size < 2)
      .map(({ policyId, field, text, seen }) => {
        const never = seen.size === 0 ? 'never had a value' : seen.has('true') ? 'was never false' : 'was never true';
        return `${policyId}, ${field}: \`${text.replace(/\s+/g, ' ')}\` ${never}`;
      });
  }

  #visit(policyId: string, field: string, part: ExplainedPart, outerUnasked = false): void {
    const unasked = outerUnasked || part.unasked === true;
    const inner = part.parts.filter(isCondition);
    if (inner.length > 0) {
      for (const each of inner) this.#visit(policyId, field, each, unasked);
      return;
    }
    const key = `${policyId}/${field}/${part.span.start}-${part.span.end}`;
    const point = this.#points.get(key) ?? { policyId, field, text: part.text, seen: new Set<string>() };
    this.#points.set(key, point);
    if (!unasked && (part.value === 'true' || part.value === 'false')) point.seen.add(part.value);
  }
}

/** Whether a part is a boolean, or failed to evaluate. */
function isCondition({ value, condition }: ExplainedPart): boolean {
  return value === 'true' || value === 'false' || condition === true;
}
