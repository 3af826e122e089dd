import { describe, expect, test } from 'vitest';
import { type ControlName, lintPolicies, type PolicySource } from '../src/index.ts';
import { host } from './support/host.ts';

const kinds = ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'];
const controls: readonly ControlName[] = [
  { name: 'eth', doc: '', kinds, otherAssets: 'DENIED' },
  { name: 'usdc', doc: '', kinds, otherAssets: 'DENIED' },
  { name: 'free', doc: '', kinds, otherAssets: 'FREE' },
  { name: 'hourly', doc: '', kinds },
];

const codes = (effect: PolicySource['effect'], ...conditions: readonly string[]) =>
  lintPolicies(
    conditions.map((condition, index) => ({ id: String(index), effect, condition })),
    { ...host, controls },
  )
    .map(({ code }) => code)
    .filter((code) => ['OTHER_ASSETS_FREE', 'OTHER_ASSETS_DENIED', 'REDUNDANT'].includes(code));

describe('warnings about limits', () => {
  test('D480: an ALLOW whose limits say nothing about other assets', () => {
    expect(codes('EFFECT_ALLOW', 'controls.free')).toEqual(['OTHER_ASSETS_FREE']);
    expect(codes('EFFECT_ALLOW', 'controls.free && tx.is_payment')).toEqual(['OTHER_ASSETS_FREE']);
    expect(codes('EFFECT_ALLOW', 'controls.free && tx.is_payment && tx.payments.all(p, p.asset == ETH)')).toEqual([]);
    expect(codes('EFFECT_ALLOW', 'controls.eth')).toEqual([]);
    expect(codes('EFFECT_ALLOW', 'controls.free && controls.eth')).toEqual([]);
    expect(codes('EFFECT_ALLOW', 'controls.hourly')).toEqual([]);
  });

  test('D486: a DENY that denies other assets too', () => {
    expect(codes('EFFECT_DENY', '!controls.eth')).toEqual(['OTHER_ASSETS_DENIED']);
    expect(codes('EFFECT_DENY', '!controls.free')).toEqual([]);
  });

  test('D485: limits in different branches', () => {
    expect(codes('EFFECT_ALLOW', 'controls.eth || controls.usdc')).toEqual(['OTHER_ASSETS_DENIED']);
    expect(codes('EFFECT_ALLOW', 'controls.eth && controls.usdc')).toEqual([]);
  });

  test('D480: a policy with more limits is not redundant beside one with fewer', () => {
    expect(codes('EFFECT_ALLOW', 'controls.eth', 'controls.eth && controls.usdc')).toEqual([]);
    expect(codes('EFFECT_ALLOW', 'controls.eth', "controls.eth && activity.kind == 'SIGN_TRANSACTION'")).toEqual(['REDUNDANT']);
  });
});
