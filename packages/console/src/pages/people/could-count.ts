import type { PolicyShape, UserShape } from '@countersign/contract';
import { policyOptions, recordOf, toPolicySource } from '@countersign/judgement';
import { compilePolicies, couldCount, type PolicyUser } from '@countersign/policy';
import { toPolicyUser, withAnyCredential } from '../policies/prover/read-organization.ts';

/**
 * How a policy counts an approval of a person: because of who the person is, as one of people whom it does not name, or unknown, because
 * its text is not here.
 */
export type Counting = 'person' | 'open' | 'unknown';

type Listed = Pick<PolicyShape, 'policyId' | 'effect' | 'consensus' | 'language' | 'shortened'>;

/** More texts take too long to compile in a browser. */
const MAX_TEXTS = 1_000;

/**
 * The policies that could count an approval of a person, by id.
 * INVARIANT: an approval of the person does not help to meet the consensus of a policy that is missing here. It is the service's own test.
 */
export function countingPolicies(policies: readonly Listed[], person: UserShape): ReadonlyMap<string, Counting> {
  const [user] = withAnyCredential(
    [toPolicyUser(person)],
    policies.map(({ consensus }) => consensus),
  ) as [PolicyUser];
  const known = new Map<string, Counting | undefined>();
  const countingOf = ({ effect, consensus, language, shortened }: Listed): Counting | undefined => {
    if (shortened?.fields.includes('consensus')) return 'unknown';
    const key = `${effect} ${language} ${consensus}`;
    if (!known.has(key)) known.set(key, known.size < MAX_TEXTS ? howCounted({ effect, consensus, language }, user) : 'unknown');
    return known.get(key);
  };
  return new Map(
    policies.flatMap((policy) => {
      const counting = countingOf(policy);
      return counting === undefined ? [] : [[policy.policyId, counting] as const];
    }),
  );
}

function howCounted(text: Pick<Listed, 'effect' | 'consensus' | 'language'>, user: PolicyUser): Counting | undefined {
  const [policy] = compilePolicies([toPolicySource('', recordOf({ id: '', ...text }))], policyOptions).policies;
  if (policy === undefined || (policy.effect === 'EFFECT_ALLOW' && policy.invalid.length > 0)) return undefined;
  if (!couldCount(policy, user)) return undefined;
  return couldCount(policy, strangerLike(user)) ? 'open' : 'person';
}

/** A person whom no policy names, with credentials of the same types. */
const strangerLike = ({ credentials = [] }: PolicyUser): PolicyUser => ({
  ...{ id: 'stranger', tags: [], alias: '' },
  credentials: credentials.map(({ type }) => ({ id: 'stranger', userId: 'stranger', type, publicKey: '' })),
});
