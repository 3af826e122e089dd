import { policyOptions } from '@countersign/judgement';
import { checkPolicy, compilePolicies, decide, lintPolicies, type PolicySource } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { policies as words } from '../../../packages/console/src/words/policies.ts';
import { hostileVariants } from './hostile-variants.ts';
import { type GuidePolicy, readGuidePolicies } from './policies.ts';
import { policyCases } from './policy-cases.ts';
import { ACME, assets, ethereum, fee, type GuideRequest, send, toRequest } from './policy-requests.ts';

const policies = readGuidePolicies().filter(({ guide }) => guide === 'policies.md');
/** A request that each template of the console allows. */
const templateCases: Readonly<Record<string, GuideRequest>> = {
  'Two of the treasury pay known vendors up to 25,000 USDC': {
    ...ethereum('w', [send(assets.usdc, 25_000_000_000n, ACME), fee()]),
    by: [['<tag of the treasury>'], ['<tag of the treasury>']],
  },
  'A backend pays small amounts of ether': {
    ...ethereum('w', [send(assets.eth, 4n * 10n ** 16n, ACME), fee()]),
    by: [['<tag of the backend>']],
  },
};

const everything: PolicySource = { id: 'everything', effect: 'EFFECT_ALLOW' };

const toSource = ({ name, effect, condition, consensus, time }: GuidePolicy): PolicySource => ({
  id: name,
  effect: `EFFECT_${effect}`,
  condition,
  ...(consensus !== '' && { consensus }),
  ...(time !== '' && { time }),
});

/** Variants that a policy is meant to allow. */
const meant: Readonly<Record<string, readonly string[]>> = {
  // It is about a call.
  Vote: ['no transfer at all', 'a memo, in addition', 'a memo instead'],
  'Swap on one router': ['no transfer at all', 'a memo, in addition', 'a memo instead'],
  // The client's addresses receive any asset of the chain.
  'Withdraw for a client': [
    'a token that is called USDC, in addition',
    'a token that is called USDC instead',
    'USDC of another chain, in addition',
    'USDC of another chain instead',
  ],
  // It is about unknown code. `eth.tx.max_cost` limits the ether, and `eth.tx.is_deployment` the rest.
  'Deploy to Sepolia': [
    'no transfer at all',
    'nothing that was listed',
    'a contract creation with ether, in addition',
    'a contract creation with ether instead',
    'bytes that were not understood, in addition',
    'bytes that were not understood instead',
    'a fee that burns everything, in addition',
    'a fee that burns everything instead',
  ],
};

describe('the policies of docs/guide/policies.md', () => {
  test('there are thirty, and every one has its requests', () => {
    expect(policies).toHaveLength(30);
    expect(policies.map(({ name }) => name).sort()).toEqual(Object.keys(policyCases).sort());
  });

  describe.each(policies)('$name', (policy) => {
    const source = toSource(policy);
    const { allowed, refused } = policyCases[policy.name] as (typeof policyCases)[string];
    // A DENY is judged beside a policy that allows everything.
    const set = compilePolicies(policy.effect === 'DENY' ? [source, everything] : [source], policyOptions);

    test('is valid, and has none of the holes that the service warns about', () => {
      expect(checkPolicy(source, policyOptions)).toEqual([]);
      const warnings = lintPolicies([source], policyOptions).filter(({ code }) => code !== 'APPLIES_TO');
      expect(warnings).toEqual([]);
    });

    test('lets through what it is for', () => {
      expect(decide(set, toRequest(allowed))).toMatchObject({ outcome: 'ALLOW' });
    });

    const isOnTransactions = policy.effect === 'ALLOW' && allowed.signed?.[0].endsWith('.tx') === true;
    if (isOnTransactions)
      test('D406: allows none of the hostile requests beside it', () => {
        const variants = Object.entries(hostileVariants(allowed)).filter(([name]) => meant[policy.name]?.includes(name) !== true);
        const found = variants.filter(([, request]) => decide(set, toRequest(request)).outcome === 'ALLOW');
        expect(found.map(([name]) => name)).toEqual([]);
      });

    test.each(refused.map((request, index) => [index + 1, request] as const))(
      'refuses what lies next to it: %s',
      (_, request) => {
        expect(decide(set, toRequest(request)).outcome).not.toBe('ALLOW');
      },
    );
  });
});

describe('the templates of the console', () => {
  const ofGuide = new Map(readGuidePolicies().map((policy) => [policy.name, policy]));
  const templates = words.examples.list.filter(({ name }) => !ofGuide.has(name));

  test('D809: all others are policies of the guide, word for word', () => {
    const others = words.examples.list.filter(({ name }) => ofGuide.has(name));
    expect(others.length).toBeGreaterThan(5);
    const plain = (text: string) => text.replace(/\s+/g, ' ');
    for (const template of others) {
      const { effect, condition, consensus, time } = ofGuide.get(template.name) as GuidePolicy;
      expect({ ...template, condition: plain(template.condition) }).toEqual({
        ...{ name: template.name, condition: plain(condition), consensus: plain(consensus) },
        ...(effect === 'DENY' && { effect: 'EFFECT_DENY' }),
      });
      expect(time).toBe('');
    }
  });

  test('every template that allows something has a request', () => {
    expect(templates.map(({ name }) => name)).toEqual(Object.keys(templateCases));
  });

  test.each(templates)(
    'D406: $name: allows that, and none of the hostile requests beside it',
    ({ name, condition, consensus }) => {
      const source: PolicySource = { id: name, effect: 'EFFECT_ALLOW', condition, consensus };
      const set = compilePolicies([source], policyOptions);
      const allowed = templateCases[name] as GuideRequest;
      expect(lintPolicies([source], policyOptions).filter(({ code }) => code !== 'APPLIES_TO')).toEqual([]);
      expect(decide(set, toRequest(allowed)).outcome).toBe('ALLOW');
      const variants = Object.entries(hostileVariants(allowed)).filter(([variant]) => variant !== 'another wallet');
      expect(variants.filter(([, request]) => decide(set, toRequest(request)).outcome === 'ALLOW')).toEqual([]);
    },
  );
});
