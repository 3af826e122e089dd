import { PersistentMap } from '@countersign/collections';
import { activities } from '@countersign/contract';
import {
  authorizeByPolicy,
  controlsNamedBy,
  type Judgement,
  policyOptionsOf,
  serializeUsage,
  usageFrom,
} from '@countersign/judgement';
import { checkPolicy, renderExplanation } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { ANN, BOB, control, first, holding, NOW, paying, signing, transfer, usages } from '../support/controls-world.ts';

const UNIT = 1_000_000n;
const bucket = 'c/0/organization/';
const ALLOW = { p: { language: 2, condition: "activity.kind == 'SIGN_TRANSACTION' && controls.daily_usdc" } } as const;
const DENY = {
  p: { language: 2, condition: "activity.action == 'SIGN'" },
  d: { language: 2, effect: 'EFFECT_DENY', condition: '!controls.daily_usdc' },
} as const;

const outcome = (judgement: Judgement) => authorizeByPolicy.decide(judgement).outcome;
const pay = (amount: bigint) => paying([transfer(amount * UNIT)]);

describe('policies that name a control', () => {
  test('an ALLOW allows up to the limit, and a DENY denies above it', () => {
    for (const policies of [ALLOW, DENY]) {
      const where = holding({ c: control() }, policies);
      const usage = usages({ [bucket]: 94_000n });
      expect(outcome(signing(where, pay(6_000n), { usage }))).toBe('ALLOW');
      expect(outcome(signing(where, pay(6_001n), { usage }))).toBe('DENY');
    }
  });

  test('D140: without a value an ALLOW does not match, and a DENY denies', () => {
    for (const policies of [ALLOW, DENY]) {
      const where = holding({ c: control() }, policies);
      const unread = paying([transfer(1n), { kind: 'UNKNOWN', what: 'data', bytes: 4 }]);
      expect(outcome(signing(where, unread, { usage: usages({ [bucket]: 0n }) }))).toBe('DENY');
      expect(outcome(signing(where, pay(1n)))).toBe('DENY');
    }
  });

  test('D144: an ALLOW that names nothing but a limit on transfers allows no activity that does not sign', () => {
    const where = holding({ c: control() }, { p: { language: 2, condition: 'controls.daily_usdc' } });
    for (const definition of [activities.exportWallet, activities.createPolicy, activities.updateVelocityControl]) {
      const request = signing(where, {}, { definition, type: definition.type, usage: usages({ [bucket]: 0n }) });
      expect(outcome(request), definition.name).toBe('DENY');
    }
  });

  test('a DENY on transfers steps aside for activities that do not sign', () => {
    const policies = { ...DENY, p: { language: 2, condition: "activity.kind == 'CREATE_WALLET'" } } as const;
    const request = signing(holding({ c: control() }, policies), {}, { definition: activities.createWallet });
    expect(outcome({ ...request, type: activities.createWallet.type })).toBe('ALLOW');
  });

  test('a new receiver can need two people, and a known one none', () => {
    const where = holding(
      { c: first() },
      {
        known: { language: 2, condition: "activity.kind == 'SIGN_TRANSACTION' && !controls.first_payment" },
        fresh: {
          language: 2,
          condition: "activity.kind == 'SIGN_TRANSACTION' && controls.first_payment",
          consensus: 'approvers.count() >= 2',
        },
      },
    );
    const to = `c/0/destination/${ANN}`;
    expect(outcome(signing(where, pay(1n), { usage: usages({ [to]: 0n }) }))).toBe('NEEDS_CONSENSUS');
    expect(outcome(signing(where, pay(1n), { usage: usages({ [to]: 3n }) }))).toBe('ALLOW');
  });
});

describe('the controls that a decision depends on', () => {
  const others = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`other${index}`, control({ identifier: `other_${index}` })]),
  );

  test('the first factor of a user under an MFA policy asks for what the second one will', () => {
    const condition = "activity.kind == 'SIGN_TRANSACTION' && controls.daily_usdc && controls.other_1";
    const policy = { language: 2, condition, consensus: "approvers.any(user, user.id == 'a')" } as const;
    const plain = holding({ c: control(), ...others }, { p: policy });
    const steps = [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' as const }] }];
    const mfa = { userId: 'a', mfaPolicyName: '', condition: 'true', requiredAuthenticationMethods: steps, order: 0 };
    const mfaPolicy = PersistentMap.from([['m', { ...mfa, createdAtMs: 0, updatedAtMs: 0 }]] as const);
    const where = { ...plain, records: { ...plain.records, mfaPolicy } };
    const named = controlsNamedBy(signing(where, pay(1n)));
    expect(named.map(({ controlId }) => controlId)).toEqual(['c', 'other1']);
    const usage = usages(Object.fromEntries(named.flatMap(({ counts }) => counts.map((count) => [count.bucket, 0n]))));
    expect(outcome(signing(where, pay(1n), { usage }))).toBe('NEEDS_CONSENSUS');
  });

  test('none, where no policy names one', () => {
    expect(controlsNamedBy(signing(holding({ c: control() }, { p: { language: 2, condition: 'true' } }), pay(1n)))).toEqual([]);
  });

  test('those of the policies that can matter, with their buckets', () => {
    const named = Object.fromEntries(
      Object.keys(others).map((_, index) => [
        `p${index}`,
        { language: 2 as const, condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && controls.other_${index}` },
      ]),
    );
    const where = holding({ c: control(), ...others }, { ...ALLOW, ...named });
    expect(controlsNamedBy(signing(where, pay(1n))).map(({ controlId, counts }) => [controlId, counts[0]?.bucket])).toEqual([
      ['c', bucket],
    ]);
  });

  test('a policy that compares a control with a literal counts as one that names it', () => {
    const policies = {
      p: { language: 2 as const, condition: 'controls.daily_usdc == true' },
      q: { condition: 'controls.other_1' },
    };
    const where = holding({ c: control(), ...others }, policies);
    expect(controlsNamedBy(signing(where, pay(1n))).map(({ controlId }) => controlId)).toEqual(['c', 'other1']);
  });

  test('what a decision rested on can be noted, and judged with again', () => {
    const request = signing(holding({ c: control() }, ALLOW), pay(6_000n));
    const seen = usages({ [bucket]: 94_000n });
    const noted = controlsNamedBy(request).flatMap((counted) =>
      counted.counts.flatMap((count) => {
        const usage = seen.get(count.bucket);
        return usage === undefined ? [] : [serializeUsage(counted, usage, NOW, NOW)];
      }),
    );
    expect(noted).toEqual([{ control: 'c', bucket, used: '94000', threshold: '100000', revision: 1, atMs: NOW }]);
    expect(outcome({ ...request, usage: usageFrom(noted) ?? new Map() })).toBe('ALLOW');
  });
});

describe('a control in the policy language', () => {
  const diagnose = (condition: string, controls = { c: control() }) =>
    checkPolicy({ condition }, policyOptionsOf(holding(controls))).map(({ code, message, help }) => [code, message, help]);

  test('an unknown identifier is refused, with the nearest one', () => {
    expect(diagnose('controls.daily_usdt')).toEqual([
      ['UNKNOWN_FIELD', '`controls` has no `daily_usdt`', 'did you mean `daily_usdc`?'],
    ]);
    expect(diagnose('controls.daily_usdc')).toEqual([]);
  });

  test('without any control, the diagnostic says what to do', () => {
    const help = 'the organization has no velocity control yet: create one with this identifier first';
    expect(diagnose('controls.daily_usdc', {} as never)).toEqual([['UNKNOWN_FIELD', '`controls` has no `daily_usdc`', help]]);
    expect(diagnose('controls', {} as never)).toEqual([['INCOMPLETE_PATH', '`controls` is not a value by itself', help]]);
  });

  test('a control is true or false, and belongs in the condition', () => {
    expect(diagnose('controls.daily_usdc > 5').map(([code]) => code)).toEqual(['TYPE_MISMATCH']);
    const consensus = checkPolicy({ consensus: 'controls.daily_usdc' }, policyOptionsOf(holding({ c: control() })));
    expect(consensus.map(({ code }) => code)).toEqual(['WRONG_FIELD']);
  });
});

describe('explanations', () => {
  const hour = 3_600_000;
  const text = (judgement: Judgement) => renderExplanation(authorizeByPolicy.explain(judgement));

  test('say what the request would bring the window to, and what frees up when', () => {
    const freesUp = [
      { amount: 1_000n * 10n ** 18n, atMs: NOW + hour },
      { amount: 5_000n * 10n ** 18n, atMs: NOW + 2 * hour + 5 * 60_000 },
    ];
    const usage = usages({ [bucket]: 98_000n }, { freesUp });
    const told = text(signing(holding({ c: control() }, ALLOW), pay(6_000n), { usage }));
    expect(told).toContain('would bring the last 24 h to 104,000 of 100,000 USDC; 6,000 free up at 14:05 UTC');
    expect(told).toContain(
      'policy p would allow this, but `controls.daily_usdc` is false: it would bring the last 24 h to 104,000 of 100,000 USDC',
    );
  });

  test('tell of the receiver that is over its limit', () => {
    const of = control({}, { groupBy: { destination: {} }, threshold: '10' });
    const usage = usages({ [`c/0/destination/${ANN}`]: 1n, [`c/0/destination/${BOB}`]: 10n });
    const both = paying([transfer(UNIT), transfer(UNIT, BOB)]);
    expect(text(signing(holding({ c: of }, ALLOW), both, { usage }))).toContain(`the last 24 h for ${BOB} to 11 of 10 USDC`);
  });

  test('tell what could not be read', () => {
    const hidden = paying([{ kind: 'UNKNOWN', what: 'data', bytes: 4 }]);
    const told = text(signing(holding({ c: control() }, ALLOW), hidden, { usage: usages({ [bucket]: 0n }) }));
    expect(told).toContain('the limit "Daily USDC" cannot be judged: it holds something that was not understood: data');
  });
});
