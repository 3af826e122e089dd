import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitrarySpelling } from '../../../policy/test/support/respell.ts';
import { worstOf } from './support.ts';

/** Conditions for which what a policy must name decides, and those that only look so. */
const conditions = [
  "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type == 'TYPE_4'",
  "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type != 'LEGACY'",
  "activity.kind == 'SIGN_TRANSACTION' && eth.tx.to == '' && eth.tx.value == 0",
  "eth.tx.chain_id == 1 && eth.tx.to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'",
  "activity.action in ['CREATE', 'UPDATE', 'DELETE']",
  "activity.resource in ['POLICY', 'CREDENTIAL'] || activity.kind == 'UPDATE_USER'",
  "activity.kind == 'UPDATE_USER' && activity.params.user_tag_ids.all(each, each == 't')",
  "activity.kind == 'UPDATE_USER' && !activity.params.user_tag_ids.contains('t')",
  "activity.kind == 'UPDATE_USER_NAME' && activity.params.user_name == 'ann'",
  "tx.is_payment && tx.payments.all(p, p.to in contacts.tagged('vendors')) && tx.max_fee <= 0.02 ETH",
  "activity.action == 'SIGN' && wallet.label == 'it\\'s hot'",
];

test('D370, D393: formatting, spacing and comments never change which hostile requests a policy allows, guards included', () => {
  // Trusts a tag and a name.
  const trusting = {
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: "approvers.any(u, u.tags.contains('t') || u.alias == 'ann')",
  };
  const known = new Map<string, readonly string[]>();
  const allowed = (condition: string) =>
    worstOf({ condition }, [trusting], { every: true }).allowed.map(({ request }) => request.id);
  let differing = 0;
  fc.assert(
    fc.property(fc.constantFrom(...conditions), arbitrarySpelling, (condition, spell) => {
      const before = known.get(condition) ?? allowed(condition);
      known.set(condition, before);
      if (spell(condition) !== condition) differing += 1;
      expect(allowed(spell(condition))).toEqual(before);
    }),
    { numRuns: 30 },
  );
  expect(differing).toBeGreaterThan(10);
  expect([...known.values()].some((ids) => ids.length > 0)).toBe(true);
});
