import { byGroup, harms, hostileRequests } from '@countersign/judgement';
import { knownWrong } from '../../test/repository/guides/intended-harms.ts';
import { type ShownPolicy, shownPolicies, worstCaseOf } from '../../test/repository/guides/worst-cases.ts';
import { code, page, table } from './markdown.ts';

/** What the policies of the guides and of the console allow at worst. */
export function worstCasesPage(): string {
  const allowing = shownPolicies().filter(({ policy }) => policy.effect === 'EFFECT_ALLOW');
  return page('Worst cases', 'conformance/policies and the policies of the guides', [
    `\`countersign policy check\`, the warnings of a new policy and this page try ${hostileRequests.length} hostile requests with the fewest approvers who satisfy the policy. A request that is allowed is a fact; a request that is not in the list may be allowed too.`,
    '## Policies of the guides and the console',
    'Each policy alone, with contacts where it asks for them. DENY policies allow nothing and are left out.',
    table(['Policy', 'From', 'Allows at worst'], allowing.map(rowOf)),
    '## Hostile requests',
    'Their bytes are in [conformance/policies](../../conformance/policies/README.md#hostile-requests). `{to}` is anyone, a contact, or an address that the policy names.',
    table(
      ['Harm', 'Requests'],
      harms.map(({ id, harm }) => [harm, requestsOf(id).map(code).join(', ')]),
    ),
  ]);
}

function rowOf({ source, policy }: ShownPolicy): readonly string[] {
  const worst = worstCaseOf(policy);
  const groups = byGroup(worst.allowed, () => undefined).map(({ who, does }) => `${who} may ${does.join('; ')}`);
  const words = groups.length === 0 ? `none of ${worst.tried} tried requests` : groups.join('. ');
  const isWrong = (knownWrong[policy.id] ?? []).length > 0;
  return [policy.id, source, `${words.replaceAll('<', '&lt;')}${isWrong ? ' (**more than it is meant to**)' : ''}`];
}

function requestsOf(harm: string): readonly string[] {
  return hostileRequests.filter((request) => request.harm === harm).map(({ id }) => id);
}
