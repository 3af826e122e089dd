import { readFileSync } from 'node:fs';
import { policyOptions } from '@countersign/judgement';
import { type ControlName, checkPolicy, formatExpression, parseExpression } from '@countersign/policy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networks } from '../src/data/networks.ts';
import type { Draft } from '../src/pages/policies/draft.ts';
import { type Answers, blankAnswers, subjects } from '../src/pages/policies/form/answers.ts';
import { problemsIn } from '../src/pages/policies/form/check-answers.ts';
import { assetsOn } from '../src/pages/policies/form/networks.ts';
import { readPolicy } from '../src/pages/policies/form/read-policy.ts';
import { policySentence } from '../src/pages/policies/form/sentence.ts';
import { namesWallet, writePolicy } from '../src/pages/policies/form/write-policy.ts';

const draft: Draft = { policyName: 'P', effect: 'EFFECT_ALLOW', condition: '', consensus: '', notes: '' };
const controls: ControlName[] = ['daily', 'monthly'].map((name) => ({ name, doc: '', kinds: ['SIGN_TRANSACTION'] }));
const options = { ...policyOptions, controls };
const number = fc.constantFrom('', '25000', '0.5', '1', '0.000001');
const addresses = ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'];

/** Values that people can enter, of which the form accepts those without a problem. */
const answers: fc.Arbitrary<Answers> = fc
  .record({
    what: fc.constantFrom(...subjects),
    walletId: fc.constantFrom('', '5c1f8c55-6d06-4b32-8a3b-0c34f0e0f7aa', "it's"),
    network: fc.constantFrom('', 'eip155:100', ...Object.keys(networks)),
    asset: fc.constantFrom('', 'USDC', 'ETH', 'SOL', 'USDT', 'BTC', 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f'),
    receivers: fc.constantFrom('any' as const, 'contacts' as const, 'tag' as const, 'addresses' as const),
    contactTag: fc.constantFrom('vendors', 'pay-roll_2'),
    addresses: fc.subarray(addresses, { minLength: 1 }),
    most: number,
    fee: number,
    limits: fc.subarray(['daily', 'monthly']),
    approvals: fc.integer({ min: 1, max: 9 }),
    tagId: fc.oneof(fc.constant(''), fc.uuid(), fc.string({ minLength: 1 })),
  })
  .filter((given) => Object.keys(problemsIn(given)).length === 0)
  // Addresses of one format belong to networks of that format.
  .filter(
    ({ receivers, network, asset }) => receivers !== 'addresses' || !/^(solana|tron|bip122)|^(SOL|BTC)$/.test(network || asset),
  );

const checked = ({ condition, consensus }: ReturnType<typeof writePolicy>) =>
  // The request omits an empty consensus.
  checkPolicy({ condition, ...(consensus !== '' && { consensus }) }, options);

const read = (policy: Partial<Draft>) => readPolicy({ ...draft, ...policy });

/** The values that matter: the others are as in an empty form. */
function meant(given: Answers): Answers {
  const { what, walletId, approvals, tagId, receivers } = given;
  const empty = { ...blankAnswers, network: '', asset: '', receivers: 'any', fee: '' } as const;
  const common = { ...empty, what, walletId: namesWallet(what) ? walletId : '', approvals, tagId };
  if (what !== 'payments') return common;
  const home = given.network === '' ? policyOptions.assets?.get(given.asset)?.home : undefined;
  return {
    ...given,
    ...(home !== undefined && !home.startsWith('eip155:') && { network: home }),
    contactTag: receivers === 'tag' ? given.contactTag : '',
    addresses: receivers === 'addresses' ? given.addresses : [],
  };
}

describe('the form of policies', () => {
  test('writes only valid policies, and reads each back as it was', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const written = writePolicy(given);
        expect(checked(written)).toEqual([]);
        expect(read(written)).toEqual({ answers: meant(given) });
      }),
      { numRuns: 500 },
    );
  });

  test('D730: what the form cannot show locks it, wherever the clause stands', () => {
    const further = [
      'tx.payments.count() == 1',
      "eth.tx.to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'",
      'tx.max_cost <= 5 ETH',
      "wallet.id == 'another'",
      'tx.payments.all(p, p.amount <= 5 USDC)',
      'tx.payments.total(DAI) <= 5 DAI',
      "(tx.max_fee <= 1 ETH || activity.action == 'SIGN')",
      '!controls.daily',
      'tx.max_fee < 1 ETH',
    ];
    fc.assert(
      fc.property(answers, fc.constantFrom(...further), fc.boolean(), (given, clause, isFirst) => {
        const { condition, consensus } = writePolicy(given);
        const longer = isFirst ? `${clause} && ${condition}` : `${condition} && ${clause}`;
        const reading = read({ condition: longer, consensus });
        // A second clause of a kind that the form knows must not replace the first either.
        if ('answers' in reading) expect(clauses(writePolicy(reading.answers).condition)).toEqual(clauses(longer));
        else expect(reading.lockedBy.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  test('D730: every policy of the guide is either locked or shown with all of its clauses', () => {
    const guide = readFileSync(new URL('../../../docs/guide/policies.md', import.meta.url), 'utf8');
    const blocks = [...guide.matchAll(/```policy\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    const shown = blocks.flatMap((block) => {
      const field = (name: string) =>
        new RegExp(`^${name}: ([\\s\\S]*?)(?=^\\w+: |(?![\\s\\S]))`, 'm').exec(block)?.[1]?.trim() ?? '';
      const policy = { condition: field('condition'), consensus: field('consensus') };
      const effect: Draft['effect'] = field('effect') === 'DENY' ? 'EFFECT_DENY' : 'EFFECT_ALLOW';
      const reading = read({ ...policy, effect });
      if ('lockedBy' in reading) return [];
      const written = writePolicy(reading.answers);
      expect(clauses(written.condition)).toEqual(clauses(policy.condition));
      expect(clauses(written.consensus)).toEqual(clauses(policy.consensus));
      return [field('name')];
    });
    expect(shown).toContain('Pay vendors');
    expect(shown.length).toBeLessThan(blocks.length);
  });

  test('shows "Pay vendors" as it is', () => {
    const reading = read({
      condition: `wallet.id == 'w' && tx.is_payment
  && tx.payments.all(p, p.to in contacts.tagged('vendors') && p.asset == USDC)
  && tx.payments.total(USDC) <= 25_000.00 USDC && tx.max_fee <= 0.02 ETH`,
      consensus: "approvers.filter(user, user.tags.contains('treasurers')).count() >= 2",
    });
    if ('lockedBy' in reading) throw new Error(JSON.stringify(reading));
    expect(policySentence(reading.answers, false, { tag: undefined, wallet: 'Treasury' })).toBe(
      'Allows payments of USDC on Ethereum to contacts tagged vendors, at most 25000 USDC each, with a fee of at most 0.02 ETH, from the wallet Treasury, if 2 people with the tag treasurers approve.',
    );
    expect(writePolicy(reading.answers).condition).toBe(
      [
        "wallet.id == 'w'",
        'tx.is_payment',
        'tx.max_fee <= 0.02 ETH',
        "tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors'))",
        'tx.payments.total(USDC) <= 25000 USDC',
      ].join('\n  && '),
    );
  });

  test('is locked for mistakes, comments, earlier languages and denials with approvals', () => {
    const policy = writePolicy(blankAnswers);
    const locks = (change: Partial<Draft>) => expect(read({ ...policy, ...change }));
    locks({ condition: 'tx.is_payment &&' }).toEqual({ lockedBy: [{ whole: 'invalid' }] });
    locks({ condition: `# only vendors\n${policy.condition}` }).toEqual({ lockedBy: [{ whole: 'comment' }] });
    locks({ language: 2 }).toEqual({ lockedBy: [{ whole: 'language' }] });
    locks({ effect: 'EFFECT_DENY' }).toEqual({ lockedBy: [{ whole: 'deny' }] });
    locks({ condition: '', consensus: '' }).toEqual({ lockedBy: [{ whole: 'form' }] });
    locks({ condition: 'true || tx.is_payment' }).toEqual({ lockedBy: [{ part: 'true || tx.is_payment' }] });
    locks({}).toEqual({ answers: meant(blankAnswers) });
  });

  test('asks for an asset that exists on the network, and for one before a maximum', () => {
    const of = (change: Partial<Answers>) => Object.keys(problemsIn({ ...blankAnswers, ...change }));
    expect(of({})).toEqual([]);
    expect(of({ asset: '', most: '5' })).toEqual(['most']);
    expect(of({ asset: 'Dollars' })).toEqual(['asset']);
    expect(of({ network: 'tron:0x2b6653dc', asset: 'USDC' })).toEqual(['asset']);
    expect(of({ network: 'tron:0x2b6653dc', asset: '' })).toEqual(['asset']);
    expect(of({ fee: '1e5' })).toEqual(['fee']);
    for (const network of Object.keys(networks)) expect(assetsOn(network).length, network).toBeGreaterThan(0);
  });
});

/** The clauses of a text, each in one spelling, in one order. */
function clauses(text: string): readonly string[] {
  if (text === '') return [];
  const { expression } = parseExpression(text);
  if (expression === undefined) throw new Error(text);
  const operands = expression.kind === 'and' ? expression.operands : [expression];
  return operands
    .map((each) => formatExpression(each).replace(/(?<=\d\.\d*?)0+(?= [A-Z])|\.0+(?= [A-Z])/g, ''))
    .map((each) => [...each.replace(/^tx\.payments\.all\(p, (.*)\)$/, '$1').split(' && ')].sort().join(' && '))
    .sort();
}
