import { policyAddressForms } from '@countersign/chains';
import { indexedBy, memoizeByRef } from '@countersign/collections';
import { type Attribute, type GrowingPolicySet, openAttributes, stringLiterals } from '@countersign/policy';
import { canonicalEmail } from './canonical-email.ts';
import { policySetOf } from './compiled-policies.ts';
import type { JudgedOrganization } from './organization.ts';
import type { TrustTouch } from './subject.ts';

type What = TrustTouch['what'];

/** The attribute that policies read for each kind of touch. */
const attributeOf: Readonly<Record<What, Attribute>> = {
  TAGS: 'user.tags',
  NAME: 'user.alias',
  EMAIL: 'user.email',
  KEY_TAGS: 'private_key.tags',
  WALLET_NAME: 'wallet.label',
  ACCOUNT_ADDRESS: 'wallet_account.address',
};

/** The values for which the policies of an organization trust users, keys and wallets. */
export interface Trusts {
  readonly open: ReadonlySet<Attribute>;
  readonly strings: (what: What) => Pick<ReadonlyMap<string, unknown>, 'has'>;
}

/** The texts of a policy in which it names what it trusts. */
interface Texts {
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
}

/** The string literals of a policy. SECURITY: D393: an apostrophe in a comment begins no string, and must not hide one. */
function stringsOf({ condition = '', consensus = '' }: Texts): readonly string[] {
  return [condition, consensus].flatMap(stringLiterals);
}

const byWord = indexedBy(stringsOf);
const byEmail = indexedBy((policy: Texts) => stringsOf(policy).map(canonicalEmail));
const byAddress = indexedBy((policy: Texts) => stringsOf(policy).flatMap(policyAddressForms));

const openOf = memoizeByRef(
  (set: Pick<GrowingPolicySet, 'policies'>): ReadonlySet<Attribute> =>
    new Set(set.policies.flatMap((policy) => openAttributes(policy))),
);

/** The ids of the policies that read an attribute in such a way. */
const openPoliciesOf = memoizeByRef((set: Pick<GrowingPolicySet, 'policies'>): ReadonlyMap<Attribute, readonly string[]> => {
  const ids = new Map<Attribute, string[]>();
  for (const policy of set.policies) {
    for (const attribute of new Set(openAttributes(policy))) {
      const found = ids.get(attribute);
      if (found === undefined) ids.set(attribute, [policy.id]);
      else found.push(policy.id);
    }
  }
  return ids;
});

/** What the policies of an organization trust. */
export function trustsIn(organization: JudgedOrganization): Trusts {
  return trustsOf(organization.policies, policySetOf(organization));
}

/** What policies trust. `set` contains the same policies. */
export function trustsOf(policies: ReadonlyMap<string, Texts>, set: Pick<GrowingPolicySet, 'policies'>): Trusts {
  return {
    open: openOf(set),
    strings: (what) => (what === 'EMAIL' ? byEmail : what === 'ACCOUNT_ADDRESS' ? byAddress : byWord)(policies),
  };
}

/** The ids of the policies for which a value of an attribute can matter, in canonical form. */
export function policiesTrusting(organization: JudgedOrganization, what: What, value: string): readonly string[] {
  const { policies } = organization;
  const index = (what === 'EMAIL' ? byEmail : what === 'ACCOUNT_ADDRESS' ? byAddress : byWord)(policies);
  const open = openPoliciesOf(policySetOf(organization)).get(attributeOf[what]) ?? [];
  return [...new Set([...(index.get(value)?.keys() ?? []), ...open])];
}

/** The ids of the policies that contain a text, such as the id of a user. */
export function policiesNaming({ policies }: JudgedOrganization, text: string): readonly string[] {
  return [...(byWord(policies).get(text)?.keys() ?? [])];
}

/**
 * Whether a policy trusts a value: one contains it, or one reads the attribute in another way than by comparing whole values, such as
 * `user.alias[0..6] == 'admin-'` or `user.tags.count() >= 2`. `value` is in canonical form.
 */
export function isTrusted({ open, strings }: Trusts, what: What, value: string): boolean {
  return open.has(attributeOf[what]) || strings(what).has(value);
}
