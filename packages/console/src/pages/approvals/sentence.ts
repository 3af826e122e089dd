import type { ListedActivity } from '@countersign/client';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { typeLabel } from '../../review/type-label.ts';
import type { Check } from '../../review/types.ts';
import { words } from '../../words/index.ts';

/**
 * One-sentence description of a request.
 * SECURITY: for a signature, only the sentence that this browser decoded from the stamped bytes, never the service’s sentence.
 */
export function sentenceFor({ type }: ListedActivity, check: Check | undefined): string {
  if (check?.state === 'read') return escapeInvisible(check.reading.sentence);
  if (check?.state === 'mismatch') return words.approvals.mismatchTitle;
  const named = check !== undefined && 'request' in check ? subjectOf(check.request.parameters) : undefined;
  return named === undefined ? typeLabel(type) : `${typeLabel(type)} “${escapeInvisible(named)}”`;
}

const naming = /^(.*Name|name|label|url|payload|identifier)$/;

/** Name of the object of a request, if its parameters or their first item contain one. */
function subjectOf(parameters: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(parameters)) {
    if (naming.test(key) && typeof value === 'string' && value !== '')
      return value.length > 80 ? `${value.slice(0, 80)}…` : value;
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    if (typeof first === 'object' && first !== null) {
      const inner = subjectOf(first as Readonly<Record<string, unknown>>);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
