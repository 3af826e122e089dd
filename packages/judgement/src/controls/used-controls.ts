import { memoizeByRef } from '@countersign/collections';
import { candidatePolicies } from '@countersign/policy';
import { controlsInPolicies, policySetOf } from '../compiled-policies.ts';
import { toDecisionRequest } from '../decision-request.ts';
import type { Judgement } from '../judgement.ts';
import type { JudgedOrganization } from '../organization.ts';
import { rawContentOf, withoutReadings } from '../raw-content.ts';
import { type Counted, countOf } from './amounts.ts';
import { isAskable, namedIn } from './control-identifiers.ts';

/**
 * The controls that the decision may depend on, because a relevant policy names them, with the buckets whose usage it needs.
 * Empty, and without cost, for organizations whose policies name none.
 */
export function controlsNamedBy(judgement: Omit<Judgement, 'usage'>): readonly Counted[] {
  const { organization, definition, type } = judgement;
  if (organization.records.velocityControl.size === 0 || definition.rootQuorumOnly) return [];
  const askable = askableIn(organization, type);
  if (askable.length === 0) return [];
  const named = askable.length === 1 ? askable : askable.filter(isNamed(namedByCandidates(judgement)));
  const found: Counted[] = [];
  // ALLOWs read the limits without the content of raw payloads.
  const seen = rawContentOf(judgement) === undefined ? [judgement] : [judgement, withoutReadings(judgement)];
  for (const id of named) {
    for (const each of seen) {
      const counted = countOf(each, id);
      if (counted !== undefined) found.push(counted);
    }
  }
  return found;
}

const isNamed = (named: ReadonlySet<string>) => (id: string) => named.has(id);

const askableByType = memoizeByRef((_: JudgedOrganization) => new Map<string, readonly string[]>());

/** The controls that policies of an organization name and can read in activities of a type. */
function askableIn(organization: JudgedOrganization, type: string): readonly string[] {
  const byType = askableByType(organization);
  const known = byType.get(type);
  if (known !== undefined) return known;
  const askable = controlsInPolicies(organization).filter((id) => {
    const control = organization.records.velocityControl.get(id);
    return control !== undefined && isAskable(control, type);
  });
  byType.set(type, askable);
  return askable;
}

/** Includes the case in which approvers meet their MFA policies later, because the decision also evaluates that case. */
function namedByCandidates(judgement: Judgement): ReadonlySet<string> {
  const { organization } = judgement;
  const cases =
    organization.records.mfaPolicy.size === 0 ? [judgement] : [judgement, { ...judgement, mfaAssumed: true as const }];
  const candidates = cases.flatMap((each) => candidatePolicies(policySetOf(organization), toDecisionRequest(each)));
  return new Set(candidates.flatMap((policy) => namedIn(policy, organization.records.velocityControl)));
}
