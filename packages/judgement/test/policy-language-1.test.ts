import { activities } from '@countersign/contract';
import { authorizeByPolicy, POLICY_LANGUAGE, toPolicySource } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const condition = "activity.params.wallet_id == 'w'";
const rename = { definition: activities.updateWallet as never, params: { walletId: 'w', walletName: 'New' } };
const exporting = { definition: activities.exportWallet as never, params: { walletId: 'w', targetPublicKey: '' } };
const outcome = (policy: PolicyText, change: object) =>
  authorizeByPolicy.decide(judgement(organization([{ id: 'a' }], { p: policy }), [vote('a')], change)).outcome;

describe('a policy that was made before policies saw every parameter', () => {
  test('SECURITY: as an ALLOW keeps to the activities that had its parameter then', () => {
    expect(outcome({ condition }, rename)).toBe('ALLOW');
    expect(outcome({ condition }, exporting)).toBe('DENY');
  });

  test('made today it reaches all that have it', () => {
    expect(outcome({ condition, language: POLICY_LANGUAGE }, rename)).toBe('ALLOW');
    expect(outcome({ condition, language: POLICY_LANGUAGE }, exporting)).toBe('ALLOW');
  });

  test('as a DENY reaches all that have it, whenever it was made', () => {
    const denied = (change: object) =>
      authorizeByPolicy.decide(
        judgement(
          organization([{ id: 'a' }], { all: { language: POLICY_LANGUAGE }, deny: { effect: 'EFFECT_DENY', condition } }),
          [vote('a')],
          change,
        ),
      );
    expect(denied(rename)).toMatchObject({ outcome: 'DENY', policyIds: ['deny'] });
    expect(denied(exporting)).toMatchObject({ outcome: 'DENY', policyIds: ['deny'] });
  });

  test.each([
    [
      'several parameters of one kind',
      "activity.params.user_id == 'u' && activity.params.api_key_ids.count() == 1",
      " && activity.kind in ['DELETE_API_KEYS']",
    ],
    [
      'parameters that no kind had together',
      "activity.params.user_id == 'u' || activity . params\n.user_ids.count() == 1",
      ' && false',
    ],
    ['a parameter that there was not', "activity.params.walletName == 'x'", ' && false'],
  ])('%s', (_, text, added) => {
    const record = { policyName: 'p', effect: 'EFFECT_ALLOW', condition: text, notes: '' } as const;
    expect(toPolicySource('p', record).condition).toBe(`(${text})${added}`);
  });

  test.each([
    ['no parameter', "activity.kind == 'CREATE_WALLET'"],
    ['no condition', undefined],
  ])('with %s is as it is', (_, text) => {
    const record = {
      policyName: 'p',
      effect: 'EFFECT_ALLOW',
      notes: '',
      ...(text !== undefined && { condition: text }),
    } as const;
    expect(toPolicySource('p', record).condition).toBe(text);
  });
});
