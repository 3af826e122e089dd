import { StepBudget } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { organizationOf } from '../../src/worst-case/offline-organization.ts';
import { released } from '../../src/worst-case/released.ts';
import { releasedWords } from '../../src/worst-case/words.ts';
import { WORST_CASE_STEPS } from '../../src/worst-case/worst-case.ts';
import { NOW_MS, record } from './support.ts';

type Policy = Parameters<typeof record>[0];

const deny = (condition: string, more: Policy = {}): Policy => ({ effect: 'EFFECT_DENY', condition, ...more });
const signing: Policy = { condition: "activity.action == 'SIGN'", consensus: "approvers.any(u, u.tags.contains('signers'))" };

/** What becomes possible when the DENY policy becomes another one, or is removed. */
function releasedBy(from: Policy, to: Policy | undefined, others: readonly Policy[], steps = WORST_CASE_STEPS): string {
  const rest = others.map((each, index) => [`p${index}`, record(each)] as const);
  const before = organizationOf(new Map([...rest, ['deny', record(from)]]));
  const after = organizationOf(new Map([...rest, ...(to === undefined ? [] : [['deny', record(to)] as const])]));
  return releasedWords(released(before, after, 'deny', { nowMs: NOW_MS, budget: new StepBudget(steps) }));
}

describe('what a DENY policy no longer denies', () => {
  const allowances = deny("effects.any(e, e.kind == 'ALLOWANCE')");

  test('D446: removing a DENY names what the other policies allow without it, and to whom', () => {
    const words = releasedBy(allowances, undefined, [signing]);
    expect(words).toMatch(/^any user with the tag "signers" may then /);
    expect(words).toContain('give an unlimited allowance to anyone');
    expect(words).not.toContain('send');
  });

  test('D446: narrowing one names what it no longer denies, and keeping it names nothing', () => {
    const narrower = deny("effects.any(e, e.kind == 'ALLOWANCE') && eth.tx.chain_id == 137");
    expect(releasedBy(allowances, narrower, [signing])).toContain('give an unlimited allowance to anyone');
    const spelled = deny("effects.any( e , 'ALLOWANCE' == e.kind )");
    expect(releasedBy(allowances, spelled, [signing])).toMatch(/^none of \d+ tried requests becomes possible$/);
    const wider = deny("effects.any(e, e.kind in ['ALLOWANCE', 'TRANSFER'])");
    expect(releasedBy(allowances, wider, [signing])).toMatch(/^none of/);
  });

  test('D446: what no policy allows, or another DENY still denies, does not become possible', () => {
    expect(releasedBy(allowances, undefined, [])).toMatch(/^none of/);
    expect(releasedBy(allowances, undefined, [{ condition: "activity.kind == 'CREATE_WALLET'" }])).toMatch(/^none of/);
    expect(releasedBy(allowances, undefined, [signing, deny("effects.any(e, e.kind != 'FEE')")])).toMatch(/^none of/);
  });

  test('D446: requests are made for both policies: wallets, chains, receivers and people of either', () => {
    const wallet = { condition: "activity.action == 'SIGN' && wallet.id == 'w-1'" };
    expect(releasedBy(deny("wallet.label == 'cold'"), undefined, [wallet])).toContain('any user may then sign any digest');
    expect(releasedBy(deny("wallet.label != 'hot'"), undefined, [signing])).toContain('sign any digest');
    const polygon = { condition: 'eth.tx.chain_id == 137 && tx.is_payment' };
    expect(releasedBy(deny('tx.max_cost > 1 ETH'), undefined, [polygon])).toContain('send any amount of the coin to anyone');
    const stranger = "effects.any(e, e.to == '0x1111111111111111111111111111111111111111')";
    expect(releasedBy(deny(stranger), undefined, [signing])).toContain('to an address that the policy names');
    const interns = deny("activity.kind == 'EXPORT_WALLET'", { consensus: "approvers.any(u, u.tags.contains('interns'))" });
    expect(releasedBy(interns, undefined, [{ condition: "activity.kind == 'EXPORT_WALLET'" }])).toBe(
      'any user with the tag "interns" may then export keys',
    );
  });

  test('D446: a DENY that was in error for requests, and so denied them, releases these too', () => {
    // Effects that are not understood do not say whether they are unlimited.
    const strict = deny("effects.any(e, e.kind == 'ALLOWANCE' && e.unlimited)");
    expect(releasedBy(strict, undefined, [signing])).toContain('act for a Safe, with any code');
    expect(releasedBy(strict, allowances, [signing])).not.toContain('unlimited allowance');
  });

  test('D446: a DENY that becomes an ALLOW releases what it denied', () => {
    const flipped = { ...allowances, effect: 'EFFECT_ALLOW' as const };
    expect(releasedBy(allowances, flipped, [signing])).toContain('give an unlimited allowance');
  });

  test('D446: a DENY that applies to no approvers, or does not compile, is told apart', () => {
    const unmet = deny("activity.action == 'SIGN'", { consensus: 'approvers.count() < 0' });
    expect(releasedBy(unmet, undefined, [signing])).toBe('no approvers were found to whom it applies');
    // A stored DENY that no longer compiles denies everything.
    expect(releasedBy(deny('no.such.thing'), undefined, [signing])).toContain('sign any digest');
  });

  test('D410: a search without the steps for all requests says so', () => {
    expect(releasedBy(allowances, undefined, [signing], 5_000)).toContain('not all requests were tried');
  });
});
