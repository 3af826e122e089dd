import { harmOf, POLICY_LANGUAGE, quoted, stricterPolicies } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Advice } from './advice.ts';

/** A stored policy that allows less than under earlier rules, with a request whose decision changes. */
export interface StricterStored {
  readonly organizationId: string;
  readonly policyId: string;
  readonly policyName: string;
  readonly request: string;
  readonly harm: string;
}

/** Policies of one organization that are tried. Each takes about a tenth of a second. */
const MAX_TRIED = 200;

/** The policies of earlier releases that allow less now. Those of the current language were stored under the current rules. */
export function stricterStored(organization: Snapshot, nowMs: number): readonly StricterStored[] {
  const earlier = [...organization.policies]
    .filter(([, { effect, language }]) => effect === 'EFFECT_ALLOW' && language !== POLICY_LANGUAGE)
    .map(([id]) => id)
    .slice(0, MAX_TRIED);
  return stricterPolicies(organization, nowMs, earlier).flatMap(({ policyId, requests: [first] }) =>
    first === undefined
      ? []
      : [
          {
            organizationId: organization.id,
            policyId,
            policyName: organization.policies.get(policyId)?.policyName ?? policyId,
            request: first.request.id,
            harm: harmOf(first),
          },
        ],
  );
}

/** The most policies that the warning lists. */
const MAX_LISTED = 20;

/** The warning about policies that became stricter. Empty if there are none. */
export function stricterAdvice(found: readonly StricterStored[]): readonly Advice[] {
  if (found.length === 0) return [];
  const listed = found
    .slice(0, MAX_LISTED)
    .map(
      ({ organizationId, policyId, policyName, request, harm }) =>
        `${quoted(policyName)} (${policyId}, organization ${organizationId}) no longer allows ${request}: ${harm}`,
    );
  const more = found.length > MAX_LISTED ? [`${found.length - MAX_LISTED} more`] : [];
  return [
    {
      check: 'stricter policies',
      detail: `these policies allow less than in the release that stored them, because they mention what they must demand: ${[...listed, ...more].join('; ')}`,
      fix: "Name in the condition what it should allow, such as activity.resource == 'POLICY', or leave it as it is. 'countersign policy review' lists all requests.",
    },
  ];
}
