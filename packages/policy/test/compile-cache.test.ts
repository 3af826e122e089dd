import { expect, test } from 'vitest';
import { compileCached } from '../src/decide/compile-cache.ts';
import { type CheckOptions, compilePolicies, type PolicySource } from '../src/index.ts';
import { host } from './support/host.ts';
import { normalizers } from './support/normalizers.ts';

/** Options that count how often an address is normalized. */
function countingOptions(): { readonly options: CheckOptions; normalized(): number } {
  let count = 0;
  const ethereum = (text: string) => {
    count++;
    return normalizers.ethereum?.(text);
  };
  return { options: { ...host, normalizers: { ...normalizers, ethereum } }, normalized: () => count };
}

const address = (at: number) => `'0x${String(at).padStart(40, '0')}'`;
const addressList = (from: number) => Array.from({ length: 50 }, (_, at) => address(from + at)).join(', ');
const policy = (at: number): PolicySource => ({
  id: `p${at}`,
  effect: 'EFFECT_ALLOW',
  condition: `eth.tx.to in [${addressList(at * 100)}]`,
});

test('SECURITY: normalizes the addresses of a policy once, however often its organization is loaded', () => {
  const { options, normalized } = countingOptions();
  const policies = [0, 1, 2, 3].map(policy);
  compilePolicies(policies, options);
  expect(normalized()).toBe(200);
  compilePolicies(policies, options);
  expect(normalized()).toBe(200);
});

test('shares the expressions of policies with the same content, each with its own id and source', () => {
  const options = { ...host };
  const first = compileCached(policy(0), options);
  const second = compileCached({ ...policy(0), id: 'other' }, options);
  expect(second.policy.condition).toBe(first.policy.condition);
  expect(second.policy).toMatchObject({ id: 'other', source: { id: 'other' } });
  expect(compileCached({ ...policy(0), effect: 'EFFECT_DENY' }, options).policy.condition).not.toBe(first.policy.condition);
});

test('SECURITY: evicts the least recently used policies beyond a total of characters', () => {
  const options = { ...host };
  const long = (at: number): PolicySource => ({
    id: `p${at}`,
    effect: 'EFFECT_ALLOW',
    condition: `wallet.label != '${'x'.repeat(30_000)}${at}'`,
  });
  const [first, used] = [compileCached(long(0), options), compileCached(long(1), options)];
  expect(first.policy.invalid).toEqual([]);
  // 16 million characters are about 554 of these.
  for (let at = 2; at < 600; at++) {
    compileCached(long(at), options);
    compileCached(long(1), options);
  }
  expect(compileCached(long(1), options).policy.condition).toBe(used.policy.condition);
  expect(compileCached(long(0), options).policy.condition).not.toBe(first.policy.condition);
});
