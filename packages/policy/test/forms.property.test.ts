import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forStored } from '../src/check/options.ts';
import { compileCached } from '../src/decide/compile-cache.ts';
import { indexKeys } from '../src/decide/index-key.ts';
import type { Asks } from '../src/evaluate/compile.ts';
import { type CompiledExpression, compileExpression, evaluateExpression } from '../src/expression.ts';
import { FormCache } from '../src/forms/form-cache.ts';
import { skeletonOf } from '../src/forms/skeleton.ts';
import { compilePolicies, decide, explain, type PolicySource } from '../src/index.ts';
import { defaultLimits } from '../src/limits.ts';
import { compilePolicy } from '../src/policy.ts';
import { tokenize } from '../src/syntax/lexer.ts';
import type { Token } from '../src/syntax/token.ts';
import type { PolicyField } from '../src/value.ts';
import { arbitraryCondition } from './support/arbitrary-condition.ts';
import { arbitraryVariant } from './support/arbitrary-literals.ts';
import { arbitraryApprovers, arbitraryPolicies, arbitraryValues } from './support/arbitrary-policy.ts';
import { type CorpusCase, expressionOf, loadCorpus, loadInputs } from './support/corpus.ts';
import { fromValues } from './support/decisions.ts';
import { host } from './support/host.ts';

interface Text {
  readonly field: PolicyField;
  readonly text: string;
}

const A = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const B = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const id = '0b9c6a1e-5d7f-4f0e-9c55-9d0f6f1f2a10';

/** Expressions whose literals matter in every way that they can. */
const conditions = [
  `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${id}' && eth.tx.value < 12345`,
  `wallet.id == '${id}' || '${id}' == wallet.id || wallet.label == '${id}'`,
  `wallet.id in ['${id}', '${id}'] && ['abc', 'abc', 'abd'].contains(wallet.label)`,
  `eth.tx.to == '${A}' && eth.tx.from in ['${A}', '${B}']`,
  `eth.tx.contract_call_args['dst'] == '${A}' && eth.tx.contract_call_args['wad'] < 500`,
  "eth.tx.contract_call_args['wad'] == '500' || eth.tx.contract_call_args['wad'] in ['500', '501']",
  "eth.tx.value < '500' && eth.tx.nonce == '7' && '100' > eth.tx.value",
  'eth.tx.value < 5 ETH && eth.tx.max_fee_per_gas <= 40 gwei && 9 sat > eth.tx.nonce',
  "effects.all(e, e.asset == 'eip155:1/slip44:60' && e.amount < 25 BUSD)",
  'eth.tx.chain_id == 1 && eth.tx.value < 25 USDC',
  'eth.tx.chain_id in [1, 10] && eth.tx.value < 25 USDC && eth.tx.nonce > -7',
  'eth.tx.value * 2 / 3 < 100 + 5 && eth.tx.value < 100 - 99 && -7 < eth.tx.nonce && - 7 < 8',
  "eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[2] == 'a'",
  "private_key.tags.contains('abc') || 'abc' in private_key.tags || private_key.tags.any(asset, asset == 'abc')",
  "activity.params.user_ids.contains('abc') && activity.given.contains('user_ids')",
  `eth.tx.value < ${2n ** 256n - 1n} && eth.tx.value > ${10n ** 76n} && eth.tx.value > ${10n ** 59n} ETH`,
  "wallet.id == 'a'&&5<eth.tx.value\n  && wallet.label\t==\r\n('b')",
  "!(wallet.id != 'abc') && (wallet.label == 'abc') == true && 5 < 6 && 'a' == 'a'",
  "solana.tx.instructions.all(i, i.program_key in ['11111111111111111111111111111111'])",
  "bitcoin.tx.outputs.all(o, o.address == 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' && o.value <= 3 BTC)",
];
const consensuses = [
  `approvers.any(user, user.id == '${id}')`,
  `approvers.any(user, user.id in ['${id}', '${id}']) || approvers.any(user, user.email == 'a@b.cd')`,
  "approvers.filter(user, user.tags.contains('t-ops')).count() >= 2 && approvers.count() > 0",
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' && c.public_key == 'AbCd')",
];
const times = [
  "time.now < Timestamp('2026-03-01T00:00:00Z')",
  "CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin') && CronSpan('0 9 * * 1-5', '90m', 'UTC')",
];
const files = ['addresses', 'arithmetic', 'controls', 'diagnostics', 'effects', 'integers', 'language', 'reference', 'time'];
const corpus = files.flatMap((file) => loadCorpus<CorpusCase>(`${file}.json`).map(expressionOf));
const given: readonly Text[] = [
  ...conditions.map((text) => ({ field: 'condition', text }) as const),
  ...consensuses.map((text) => ({ field: 'consensus', text }) as const),
  ...times.map((text) => ({ field: 'time', text }) as const),
];
const generated = fc
  .oneof(arbitraryCondition('dynamic'), arbitraryCondition('ethereum'), arbitraryCondition('mixed'))
  .map((text): Text => ({ field: 'condition', text }));
const seed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...given) },
  { weight: 1, arbitrary: fc.constantFrom(...corpus.filter(({ text }) => text.length < 1_000)) },
  { weight: 1, arbitrary: generated },
);
const family = seed.chain(({ field, text }) =>
  fc.record({
    field: fc.constant(field),
    texts: fc.array(arbitraryVariant(text), { minLength: 1, maxLength: 4 }),
    first: fc.constant(text),
  }),
);

const inputs = [...loadInputs().values()].slice(0, 12);
const stored = forStored(host);

/** All that an expression is, with what it evaluates to. Functions are compared by what they give. */
function shown({ expression, diagnostics }: ReturnType<typeof compileExpression>): unknown {
  return { diagnostics, expression: expression && shownExpression(expression) };
}

function shownExpression(expression: CompiledExpression): unknown {
  const { field, text, typed, limits, asks, quoted, uses } = expression;
  const values = inputs.map((input) => evaluateExpression(expression, input));
  return { field, text, typed: withoutFunctions(typed), limits, asks, quoted, uses, values };
}

function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function') return 'function';
  if (value instanceof Set) return ['set', ...value];
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'namespace' ? each : withoutFunctions(each)]),
  );
}

const withoutContent = (token: Token) => {
  const { kind, span } = token;
  if (token.kind === 'string') return { kind, span };
  // Only plain integers are taken out, and these have no places.
  return token.kind === 'number' ? { kind, span, places: token.places } : token;
};

describe('forms of expressions', () => {
  test('an expression that is made of a form is the one that compiling its text gives', () => {
    let made = 0;
    fc.assert(
      fc.property(family, fc.constantFrom<Asks>('UNTIL_DECIDED', 'EVERY_OPERAND'), ({ field, texts, first }, asks) => {
        const forms = new FormCache(field, stored, asks);
        // The form of a text is made at its second coming. Later ones are made of it, or learned beside it.
        for (const text of [first, first, ...texts, ...texts, ...texts]) {
          if (text !== first && forms.find(text) !== undefined) made++;
          expect(shown(forms.compile(text))).toEqual(shown(compileExpression(text, field, stored, asks)));
        }
      }),
      { numRuns: 1_500 },
    );
    expect(made).toBeGreaterThan(1_000);
  });

  test.each([
    [
      'an asset says which decimals a token has',
      "effects.all(e, e.asset == 'eip155:56/slip44:60' && e.amount < 2 BUSD)",
      /56/,
      '10',
    ],
    ['a chain id says which decimals a token has', 'eth.tx.chain_id == 56 && eth.tx.value < 2 BUSD', /56/, '10'],
    ['a number is a part of a product', 'eth.tx.value < 0 * 5', /0/, '7'],
    ['a number is a part of a sum', 'eth.tx.value < 1 + 5', /5/, '7'],
    ['an amount outgrows 256 bits', `eth.tx.value < ${10n ** 59n} ETH`, /1/, '9'],
    ['a number outgrows 255 bits with its sign', `-${10n ** 76n} < eth.tx.nonce`, /1/, '6'],
    ['a divisor is zero', 'eth.tx.value / 1 < 5', /1/, '0'],
    ['a text goes over the end of its line', "wallet.id == 'a b' &&\n true", / b/, '\nb'],
    ['a text ends where the other goes on', "wallet.id in ['a', 'b']", /', '/, 'bbbb'],
    ['a checksum is wrong', `eth.tx.to == '${B}'`, /fB/, 'fb'],
    ['a text becomes an integer', "eth.tx.value < '0x5'", /0x5/, '005'],
    ['a text becomes an integer for whom it can be one', "eth.tx.contract_call_args['wad'] == 'abc'", /abc/, '123'],
    ['a schedule is not valid', times[1] as string, /1-5/, '1-9'],
  ])('%s', (_, text, before, after) => {
    const field = text.startsWith('Cron') ? 'time' : 'condition';
    const other = text.replace(before, after);
    expect(other.length).toBe(text.length);
    const forms = new FormCache(field, stored, 'UNTIL_DECIDED');
    expect(compileExpression(text, field, stored).diagnostics).toEqual([]);
    for (const each of [text, text, other, other, other, text])
      expect(shown(forms.compile(each))).toEqual(shown(compileExpression(each, field, stored, 'UNTIL_DECIDED')));
  });

  test('texts with one skeleton have the same tokens but for their literals', () => {
    const pairs = seed.chain(({ text }) => fc.tuple(fc.constant(text), arbitraryVariant(text)));
    fc.assert(
      fc.property(pairs, ([text, other]) => {
        const [one, two] = [skeletonOf(text), skeletonOf(other)];
        fc.pre(one !== undefined && one.key === two?.key);
        expect(two?.bounds).toEqual(one?.bounds);
        const [tokens, others] = [text, other].map((each) => tokenize(each, defaultLimits));
        fc.pre(tokens?.diagnostics.length === 0);
        expect(others?.diagnostics).toEqual([]);
        expect(others?.tokens.map(withoutContent)).toEqual(tokens?.tokens.map(withoutContent));
      }),
    );
  });

  test('policies of known forms have the keys and texts, decide and explain as those that are compiled one by one', () => {
    const variants = (policy: PolicySource) =>
      fc
        .tuple(arbitraryVariant(policy.condition ?? ''), arbitraryVariant(policy.consensus ?? ''))
        .map(([condition, consensus]) => ({
          ...policy,
          ...(policy.condition !== undefined && { condition }),
          ...(policy.consensus !== undefined && { consensus }),
        }));
    const own = fc.record({
      id: fc.constant('p'),
      effect: fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_DENY' as const),
      condition: fc.constantFrom(...conditions),
      consensus: fc.constantFrom(...consensuses),
    });
    const sets = fc
      .oneof(arbitraryPolicies, fc.array(own, { minLength: 1, maxLength: 2 }))
      .chain((policies) =>
        fc.tuple(...policies.flatMap((policy) => [fc.constant(policy), fc.constant(policy), variants(policy), variants(policy)])),
      )
      .map((policies) => policies.map((policy, place): PolicySource => ({ ...policy, id: `p${place}` })));
    fc.assert(
      fc.property(sets, arbitraryValues(loadInputs()), arbitraryApprovers, (sources, request, approvers) => {
        // Options of their own, so that every run learns its forms anew.
        const options = { ...host };
        const every = sources.map((source) => compilePolicy(source, options));
        for (const [place, source] of sources.entries()) {
          const ordinary = every[place] as (typeof every)[number];
          const { policy, keys } = compileCached(source, options);
          expect(withoutFunctions(keys)).toEqual(withoutFunctions(ordinary.invalid.length > 0 ? [] : indexKeys(ordinary)));
          expect(policy.invalid).toEqual(ordinary.invalid);
        }
        const set = compilePolicies(sources, options);
        const denyDependsOnPeople = every.some(({ effect, consensus }) => effect === 'EFFECT_DENY' && consensus !== undefined);
        expect(set.denyDependsOnPeople).toBe(denyDependsOnPeople);
        const all = { policies: every, denyDependsOnPeople, candidates: () => every };
        const wanted = fromValues(request, approvers, { rootQuorum: { threshold: 2, userIds: ['u-root-1', 'u-root-2'] } });
        expect(decide(set, wanted).outcome).toEqual(decide(all, wanted).outcome);
        expect(explain(set, wanted)).toEqual(explain(all, wanted));
      }),
      { numRuns: 200 },
    );
  });

  test('SECURITY: what is remembered is bounded, and what was forgotten is learned again', () => {
    const forms = new FormCache('condition', stored, 'UNTIL_DECIDED');
    const padded = (place: number) =>
      `wallet.id == 'abc' && ${'('.repeat(place % 50)}eth.tx.value < 5${')'.repeat(place % 50)}${' '.repeat(place)}`;
    for (let place = 0; place < 4_000; place++) forms.compile(padded(place));
    expect(forms.characters).toBeLessThanOrEqual(1_048_576);
    for (const _ of [1, 2]) forms.compile(padded(0));
    expect(forms.find(padded(0))?.text).toBe(padded(0));
  });
});
