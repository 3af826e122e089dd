import { type Effect, effectKinds } from '@countersign/chains';
import { contactsOf, policyOptions, signedNamespaces } from '@countersign/judgement';
import { compilePolicies, decide, language, type PolicyValue } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { organization } from './support/world.ts';

const me = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';
const coin = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH', decimals: 18 } as const;
const effects: readonly Effect[] = [
  { kind: 'TRANSFER', asset: coin, amount: 5n, from: me, to: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' },
  { kind: 'FEE', asset: coin, amount: 2n, from: me },
];
const parsed = { namespace: 'eth.tx', policy: { from: me, value: 5n }, effects, fullyParsed: true };

describe('what policies see of what is signed', () => {
  test('effects and costs', () => {
    const { tx, effects: listed } = made(signedNamespaces(parsed));
    expect(tx).toEqual({ fully_parsed: true, understood: true, max_fee: 2n, max_cost: 7n });
    expect(listed).toMatchObject([
      { kind: 'TRANSFER', amount: 5n },
      { kind: 'FEE', to: '' },
    ]);
  });

  test('what the service learns to read does not widen `tx.fully_parsed`', () => {
    const { tx } = made(signedNamespaces({ ...parsed, fullyParsedByInterfaces: false }));
    expect(tx).toMatchObject({ fully_parsed: false, understood: true });
  });

  test('a typed message has effects and no transaction', () => {
    expect(Object.keys(signedNamespaces({ ...parsed, namespace: 'eth.eip_712' }))).toEqual([
      'eth.eip_712',
      'effects',
      'tx.is_payment',
    ]);
  });

  test('D83: a message whose effects nobody listed does something unknown, and its cost is not zero', () => {
    const { tx, effects: listed } = made(signedNamespaces({ ...parsed, effects: [] }));
    expect(tx).toEqual({ fully_parsed: true, understood: false });
    expect(listed).toMatchObject([{ kind: 'UNKNOWN' }]);
  });

  test('the words of the language are those of the parsers', () => {
    const found = language.namespaces.find(({ path }) => path === 'effects')?.type;
    const struct = found?.kind === 'list' && found.of.kind === 'struct' ? found.of : undefined;
    const kind = struct?.fields.kind?.type;
    expect(kind?.kind === 'string' ? kind.words : []).toEqual(effectKinds);
  });

  test('a decision that asks for no effect makes none', () => {
    const asked: string[] = [];
    const request = (condition: string) => {
      asked.length = 0;
      const watch = (name: string, value: PolicyValue) => () => {
        asked.push(name);
        return value;
      };
      decide(compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], policyOptions), {
        approvers: [{ id: 'u', tags: [], alias: 'u' }],
        credentials: [],
        activity: { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', kind: 'SIGN_TRANSACTION' },
        namespaces: {
          'eth.tx': { value: 5n },
          effects: watch('effects', []),
          tx: watch('tx', { fully_parsed: true }),
          contacts: watch('contacts', contactsOf(organization([{ id: 'u' }]))),
        },
        now: 0,
        rootQuorum: { threshold: 1, userIds: [] },
        organizationUsers: new Map([['u', { id: 'u', tags: [], alias: 'u' }]]),
      });
      return asked;
    };
    expect(request('eth.tx.value > 3')).toEqual([]);
    expect(request('effects.count() == 0 && !effects.any(e, e.unlimited) && tx.fully_parsed')).toEqual(['effects', 'tx']);
    expect(request('effects.count() == 1 && tx.fully_parsed')).toEqual(['effects']);
    expect(request('eth.tx.value > 3 && contacts.all.count() == 0')).toEqual(['contacts']);
  });
});

function made(namespaces: ReturnType<typeof signedNamespaces>): Record<string, PolicyValue> {
  return Object.fromEntries(
    Object.entries(namespaces).map(([name, value]) => [name, (typeof value === 'function' ? value() : value) ?? '']),
  );
}
