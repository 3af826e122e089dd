import { finished } from '@countersign/collections';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileInSteps } from '../src/decide/policy-set.ts';
import {
  type CompiledPolicy,
  couldApply,
  couldCount,
  type DecisionRequest,
  decide,
  emptyPolicySet,
  explain,
  type GrowingPolicySet,
  type PolicySet,
  type PolicySource,
} from '../src/index.ts';
import { compilePolicy } from '../src/policy.ts';
import { arbitraryApprovers, arbitraryValues } from './support/arbitrary-policy.ts';
import { loadInputs } from './support/corpus.ts';
import { fromValues, users } from './support/decisions.ts';
import { host } from './support/host.ts';

/** One of several texts of the same length, so that most policies of a set differ only in literals. */
const of = (...texts: readonly string[]) => fc.constantFrom(...texts);
const wallet = of('w-treasury', 'w-treasurx', 'w-treasury', 'W-TREASURY');
const address = of(
  '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
);
const digit = of('0', '1', '2', '5', '9');
const byWallet = wallet.map((id) => `wallet.id == '${id}'`);
const byWallets = fc.tuple(wallet, wallet).map(([id, other]) => `(wallet.id == '${id}' || '${other}' == wallet.id)`);
const byAddress = address.map((to) => `eth.tx.to == '${to}'`);
const byAddresses = fc.tuple(address, address).map(([to, other]) => `[ '${to}', '${other}' ].contains(eth.tx.to)`);
const byChain = digit.map((id) => `eth.tx.chain_id == ${id}`);
const byAmount = digit.map((amount) => `eth.tx.value <= ${amount} ETH`);
const byNonce = digit.map((least) => `${least} < eth.tx.nonce`);
const byKind = of('SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD').map((kind) => `activity.kind == '${kind}'`);
const byResource = of('WALLET', 'POLICY').map((resource) => `activity.resource != '${resource}'`);
const byArgument = of('0', '5').map((wad) => `eth.tx.contract_call_args['wad'] == '${wad}'`);
const byFlag = of('tx.fully_parsed', '!wallet.exported', 'wallet.imported == false', 'nonsense');
/** A few conditions that recur with different literals, and arbitrary others. */
const condition = fc
  .oneof(
    fc.tuple(byWallet, byArgument),
    fc.tuple(byAddress, byAddresses, byAmount),
    fc.tuple(byKind, byWallet, byNonce),
    fc.tuple(byWallets, byAmount),
    fc.tuple(byWallet),
    fc.array(fc.oneof(byChain, byResource, byFlag, byKind, byWallet, byAddress, byArgument), { minLength: 1, maxLength: 3 }),
  )
  .map((parts) => parts.join(' && '));
const person = of('u-bob', 'u-bib', 'u-b*b');
const consensus = fc.oneof(
  person.map((id) => `approvers.any(user, user.id == '${id}')`),
  fc.tuple(person, person).map(([id, other]) => `approvers.any(user, user.id in ['${id}', '${other}'])`),
  person.map((id) => `approvers.any(user, user.id != '${id}' && user.alias != 'Bob')`),
  of('t-ops', 't-opz').map((tag) => `approvers.any(user, user.tags.contains('${tag}'))`),
  digit.map((count) => `approvers.count() >= ${count}`),
);
const policy = fc.record(
  {
    effect: fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_ALLOW' as const, 'EFFECT_DENY' as const),
    condition,
    consensus,
  },
  { requiredKeys: ['effect', 'condition'] },
);
const key = fc.oneof(
  fc.nat(25).map((at) => `k${at}`),
  of('', '*', '\n', 'k1\n', '__proto__', '\ud83d', '\u{1f600}', '#k1'),
);
const entry = fc.tuple(key, policy);
const change = fc.oneof(entry, fc.tuple(key, fc.constant(undefined)));
const user = of('u-bob', 'u-dave').map((id) => users.get(id) ?? { id, tags: [], alias: id });

/** The same policies without an index, each compiled separately. */
function walk(kept: ReadonlyMap<string, PolicySource>): PolicySet {
  const ordered = [...kept].sort(([a], [b]) => (a < b ? -1 : 1));
  return unindexed(ordered.map(([, source]) => compilePolicy(source, host)));
}

function unindexed(policies: readonly CompiledPolicy[]): PolicySet {
  const denyDependsOnPeople = policies.some(({ effect, consensus }) => effect === 'EFFECT_DENY' && consensus !== undefined);
  return { policies, denyDependsOnPeople, candidates: () => policies };
}

/** A decision, and the policies that it evaluated. An index may change only the latter. */
function decided(set: PolicySet, request: DecisionRequest) {
  let asked: readonly CompiledPolicy[] = [];
  const candidates: PolicySet['candidates'] = (values) => {
    asked = set.candidates(values);
    return asked;
  };
  const { policies, denyDependsOnPeople } = set;
  const { evaluations: _, ...decision } = decide({ policies, denyDependsOnPeople, candidates }, request);
  return { decision, asked };
}

/** Each policy alone leads to the same decision, and is evaluated if it changes the decision. */
function expectEachAsked(grown: PolicySet, wanted: PolicySet, request: DecisionRequest): void {
  const asked = new Set(decided(grown, request).asked);
  const nothing = JSON.stringify(decided(unindexed([]), request).decision);
  for (const [place, policy] of grown.policies.entries()) {
    const alone = decided(unindexed([wanted.policies[place] as CompiledPolicy]), request).decision;
    expect(decided(unindexed([policy]), request).decision).toEqual(alone);
    if (JSON.stringify(alone) !== nothing) expect(asked).toContain(policy);
  }
}

test('SECURITY: a set that began at once and changed in any order decides as a walk over policies that are compiled one by one', () => {
  const seen = { ALLOW: 0, DENY: 0, NEEDS_CONSENSUS: 0 };
  const people = fc.tuple(arbitraryApprovers, user);
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 40 }),
      fc.array(change, { maxLength: 30 }),
      fc.array(fc.tuple(arbitraryValues(loadInputs()), people), { minLength: 1, maxLength: 3 }),
      (first, changes, requests) => {
        // New options for each run, so that no run uses the compile cache of another.
        const options = { ...host };
        const kept = new Map<string, PolicySource>(first.map(([id, each]) => [id, { ...each, id }]));
        let set: GrowingPolicySet = kept.size === 0 ? emptyPolicySet(options) : finished(compileInSteps(new Map(kept), options));
        const begun = { set, wanted: walk(kept) };
        for (const [id, each] of changes) {
          set = each === undefined ? set.without(id) : set.with(id, { ...each, id });
          if (each === undefined) kept.delete(id);
          else kept.set(id, { ...each, id });
          // Call it after each change: its result must follow the change.
          set.couldGrant({ type: '', kind: '', resource: '', action: '' }, { id: '', tags: [], alias: '' });
        }
        for (const { set: grown, wanted } of [begun, { set, wanted: walk(kept) }]) {
          expect(grown.policies.map(essence)).toEqual(wanted.policies.map(essence));
          expect(grown.denyDependsOnPeople).toBe(wanted.denyDependsOnPeople);
          for (const [values, [approvers, asking]] of requests) {
            const request = fromValues(values, approvers, { rootQuorum: { threshold: 2, userIds: ['u-root-1', 'u-root-2'] } });
            const { decision } = decided(wanted, request);
            seen[decision.outcome]++;
            expect(decided(grown, request).decision).toEqual(decision);
            expectEachAsked(grown, wanted, request);
            expect(explain(grown, request)).toEqual(explain(wanted, request));
            const { type = '', kind, resource, action } = request.activity;
            if (typeof kind !== 'string' || typeof resource !== 'string' || typeof action !== 'string') continue;
            const about = { type, kind, resource, action };
            const could = wanted.policies.some((each) => couldApply(each, about) && couldCount(each, asking));
            expect(grown.couldGrant(about, asking)).toBe(could);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
});

function essence({ id, effect, source, invalid }: CompiledPolicy) {
  return { id, effect, source, invalid };
}
