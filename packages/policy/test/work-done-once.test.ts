import { expect, test } from 'vitest';
import { forStored } from '../src/check/options.ts';
import type { CompiledExpression } from '../src/expression.ts';
import { FormCache } from '../src/forms/form-cache.ts';
import { type CheckOptions, compilePolicies, type GrowingPolicySet, type PolicySource } from '../src/index.ts';
import { host } from './support/host.ts';
import { normalizers } from './support/normalizers.ts';

// SECURITY: what takes long is done while policies are read, in steps, and never again for each request or each key of an index.

/** The host, and how often it was asked about an address. */
function counting(): { readonly options: CheckOptions; asked(): number } {
  let count = 0;
  const ethereum = (text: string) => {
    count++;
    return normalizers.ethereum?.(text);
  };
  return { options: { ...host, normalizers: { ...normalizers, ethereum } }, asked: () => count };
}

const address = (at: number) => `0x${String(at).padStart(40, '0')}`;
const quoted = (texts: readonly string[]) => texts.map((each) => `'${each}'`).join(', ');
const range = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));

test('SECURITY: the addresses of a policy are checked once, however often its tree is made', () => {
  const { options, asked } = counting();
  const forms = new FormCache('condition', forStored(options), 'UNTIL_DECIDED');
  const text = (at: number) => `eth.tx.to in [${quoted(range(50, (place) => address(at * 100 + place)))}]`;
  for (const at of [0, 1]) forms.compile(text(at));
  const before = asked();
  const made = [forms.find(text(2)), forms.find(text(3))] as CompiledExpression[];
  expect(asked() - before).toBe(100);
  for (const _ of [1, 2, 3]) for (const each of made) each.passing();
  for (const each of made) expect(each.evaluator).toBeTypeOf('function');
  expect(asked() - before).toBe(100);
});

test('SECURITY: the addresses of a long policy are checked once, however often its organization is read', () => {
  const { options, asked } = counting();
  const policies = range(4, (at): PolicySource => {
    const condition = `eth.tx.to in [${quoted(range(50, (place) => address(at * 100 + place)))}]`;
    return { id: `p${at}`, effect: 'EFFECT_ALLOW', condition };
  });
  compilePolicies(policies, options);
  const before = asked();
  compilePolicies(policies, options);
  expect(asked()).toBe(before);
});

test('SECURITY: whether policies could grant something is asked often, and makes their trees once', () => {
  const sources = range(
    8,
    (at): PolicySource => ({
      id: `p${at}`,
      effect: 'EFFECT_ALLOW',
      condition: `wallet.label == 'w-${at}'`,
      consensus: `approvers.any(user, user.id != 'u-me' && user.alias != 'a-${at}')`,
    }),
  );
  const set = compilePolicies(sources, { ...host }) as GrowingPolicySet;
  const activity = { type: 'T', kind: 'SIGN_TRANSACTION', resource: 'WALLET', action: 'SIGN' };
  expect(set.couldGrant(activity, { id: 'u-me', tags: [], alias: 'Me' })).toBe(false);
  const trees = () => set.policies.flatMap(({ condition, consensus }) => [condition?.passing(), consensus?.passing()]);
  const [before, after] = [trees(), trees()];
  for (const [place, tree] of before.entries()) expect(after[place]).toBe(tree);
});
