import { activityByType, policyFields } from '@countersign/contract';
import { offlineOptions, organizationOf, recordOf, type TriedRequest, worstCase } from '@countersign/judgement';
import { compilePolicies, type PolicySource, StepBudget } from '@countersign/policy';
import { explainRequest } from '@countersign/server';
import { describe, expect, test } from 'vitest';
import { toCaseFile } from '../src/policy/case-file.ts';

const SECP256K1 = '024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382';
const ED25519 = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

/** Conditions whose guards and effects decide. */
const conditions: Readonly<Record<string, string>> = {
  'every signature': "activity.action == 'SIGN'",
  'a receiver that is excluded': "eth.tx.chain_id == 1 && eth.tx.to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'",
  'all transactions but legacy ones': "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type != 'LEGACY'",
  'understood transfers': "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE'])",
  'all creations and updates': "activity.action in ['CREATE', 'UPDATE']",
  'policies by name': "activity.resource == 'POLICY'",
};

/** A request of the corpus as a case. Undefined if a case file cannot describe it. */
function caseOf({ request, parameters, isAllowed }: TriedRequest): object | undefined {
  const { unsignedTransaction, type } = parameters as { unsignedTransaction?: string; type?: string };
  const definition = activityByType.get(request.type)?.definition;
  if (definition === undefined || (unsignedTransaction === undefined && request.chain !== 'any')) return undefined;
  const wires = [...policyFields(definition).values()].map(({ wire }) => wire);
  const seen = Object.entries(parameters as object).filter(([name]) => wires.includes(name));
  const added = (request.touches ?? []).flatMap((touch) =>
    'tagIds' in touch ? touch.tagIds : 'userName' in touch ? [touch.userName] : [],
  );
  return {
    name: request.id,
    type: request.type,
    parameters: definition.rootQuorumOnly ? {} : Object.fromEntries(seen),
    ...(unsignedTransaction !== undefined && {
      transaction: { type, unsigned: unsignedTransaction, signerPublicKey: request.chain === 'solana' ? ED25519 : SECP256K1 },
    }),
    ...(added.length > 0 && { added }),
    approvers: ['ann'],
    expect: isAllowed ? 'ALLOW' : 'DENY',
  };
}

describe.each(Object.entries(conditions))('policy test, with %s', (_, condition) => {
  test('D414: decides every hostile transaction and change like the service', () => {
    const policy: PolicySource = { id: 'p', effect: 'EFFECT_ALLOW', condition };
    const tried: TriedRequest[] = [];
    const search = {
      nowMs: Date.now(),
      budget: new StepBudget(),
      every: true,
      observe: (each: TriedRequest) => tried.push(each),
    };
    worstCase(organizationOf(new Map([['p', recordOf(policy)]])), 'p', search);
    // A case file does not say whose credentials an activity changes.
    const cases = tried.filter(({ request }) => request.harm !== 'credential').flatMap((each) => caseOf(each) ?? []);
    expect(cases.length).toBeGreaterThan(30);
    const file = toCaseFile({ users: [{ id: 'ann' }], policies: [policy], cases }, 'the corpus');
    const set = compilePolicies(file.policies, offlineOptions(file.policies));
    const differing = file.cases.filter(
      ({ request, expect: expected }) => explainRequest(set, request).decision.outcome !== expected,
    );
    expect(differing.map(({ name }) => name)).toEqual([]);
  });
});
