import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { activityKind } from '../schema/engine.ts';
import { queryOrganization } from '../schema/query.ts';
import { canBeTrue } from './early-denial.ts';

/** The action of every query. */
export const READ = 'READ';

/** A query by the words that conditions compare. */
export interface QueryWords {
  /** Its name in upper case: `LIST_WALLETS`. */
  readonly kind: string;
  readonly resource: string;
  /** Whether the caller reads their own organization or a sub-organization of it. */
  readonly organization: 'OWN_ORGANIZATION' | 'SUB_ORGANIZATION';
}

/** A word that no request has and no vocabulary contains. */
const OTHER = '';

/** Results by policy and query. There are as many queries as the contract has. */
const known = new WeakMap<CompiledPolicy, Map<string, boolean>>();

/**
 * Whether a policy counts for a query.
 * INVARIANT: a policy counts only if its condition can be true for the query, and cannot be true for any request of another action and
 * kind. So `true` or `activity.resource == 'USER'` neither grants nor denies reading, and `activity.action == 'READ'`,
 * `activity.kind == 'LIST_USERS'` and `activity.action in ['READ', 'SIGN']` do. An ALLOW counts for a sub-organization only if its
 * condition also requires `query.organization`.
 * SECURITY: a DENY whose condition does not compile may have been about reading. It counts, and denies.
 */
export function countsForReading(policy: CompiledPolicy, query: QueryWords): boolean {
  const key = `${query.kind}/${query.resource}/${query.organization}`;
  const results = known.get(policy) ?? new Map<string, boolean>();
  known.set(policy, results);
  let result = results.get(key);
  if (result === undefined) {
    result = namesReading(policy, query);
    results.set(key, result);
  }
  return result;
}

function namesReading({ effect, condition, invalid }: CompiledPolicy, query: QueryWords): boolean {
  if (condition === undefined) return effect === 'EFFECT_DENY' && invalid.some(({ field }) => field === 'condition');
  const { kind, resource, organization } = query;
  if (!couldHold(condition, { kind, resource, action: READ, organization })) return false;
  if (couldHold(condition, { kind: OTHER, action: OTHER })) return false;
  const isOwn = organization === 'OWN_ORGANIZATION';
  // SECURITY: a policy for the caller's own organization does not open the organizations of its customers.
  return isOwn || effect === 'EFFECT_DENY' || !couldHold(condition, { kind, resource, action: READ, organization: OTHER });
}

interface Words {
  readonly kind: string;
  readonly action: string;
  readonly resource?: string;
  readonly organization?: string;
}

/** Whether a condition could be true for a request with these words. Words that are not given could be any. */
function couldHold({ typed }: CompiledExpression, { kind, action, resource, organization }: Words): boolean {
  const words = new Map([
    [activityKind.path, kind],
    ['activity.action', action],
  ]);
  if (resource !== undefined) words.set('activity.resource', resource);
  if (organization !== undefined) words.set(queryOrganization.path, organization);
  return canBeTrue(typed, words);
}
