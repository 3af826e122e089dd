import type { DecisionRequest } from '@countersign/policy';
import type { Judgement } from '../judgement.ts';
import { type Counted, countOf } from './amounts.ts';
import { controlByIdentifier } from './control-identifiers.ts';
import { sentenceOf } from './sentences.ts';
import { uncoveredBy } from './uncovered.ts';
import { controlValue } from './value.ts';

/** The controls of the organization that authorizes, each read when a policy needs it. */
export function controlReader(judgement: Judgement): NonNullable<DecisionRequest['controls']> {
  const { organization, usage, nowMs } = judgement;
  const known = new Map<string, Counted | undefined>();
  const countedBy = (name: string) => {
    if (!known.has(name)) {
      const id = controlByIdentifier(organization.records.velocityControl, name);
      known.set(name, id === undefined ? undefined : countOf(judgement, id));
    }
    return known.get(name);
  };
  return {
    value(name) {
      const counted = countedBy(name);
      const value = counted && controlValue(counted, usage, nowMs);
      return typeof value === 'boolean' ? value : undefined;
    },
    note(name) {
      const counted = countedBy(name);
      return counted && sentenceOf(counted, usage, organization, nowMs);
    },
    uncovered: (name, beside) => uncoveredBy(judgement, name, beside),
  };
}
