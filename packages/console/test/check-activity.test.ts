import { type Client, CountersignError, type ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { plotted } from '../src/pages/overview/counts.ts';
import { checkActivity } from '../src/review/check-activity.ts';
import { quantity } from '../src/review/quantity.ts';
import { sameEffects } from '../src/review/same-effects.ts';

const usdc = { id: 'eip155:1/erc20:0xa0b8', kind: 'TOKEN', symbol: 'USDC', decimals: 6 } as const;
const transfer: EffectShape = { kind: 'TRANSFER', asset: usdc, amount: '25000000000', units: '25000', from: '0xaa', to: '0xbb' };
const fee: EffectShape = { kind: 'FEE', asset: { id: 'eip155:1/slip44:60', kind: 'COIN' }, amount: '1', from: '0xaa' };

describe('A61: sameEffects', () => {
  test('is true if amounts, assets and addresses match, whatever their names', () => {
    expect(sameEffects([transfer, fee], [{ ...transfer, units: '25', asset: { ...usdc, symbol: 'X', decimals: 9 } }, fee])).toBe(
      true,
    );
  });

  test.each<[string, Partial<EffectShape>]>([
    ['another amount', { amount: '25000000' }],
    ['another recipient', { to: '0xcc' }],
    ['another sender', { from: '0xcc' }],
    ['another asset', { asset: { ...usdc, id: 'eip155:1/erc20:0xffff' } }],
    ['another kind', { kind: 'ALLOWANCE' }],
    ['no limit', { unlimited: true }],
  ])('is false with %s', (_, change) => {
    expect(sameEffects([transfer, fee], [{ ...transfer, ...change }, fee])).toBe(false);
  });

  test('is false with an additional effect, a missing effect or another order', () => {
    expect(sameEffects([transfer, fee], [transfer])).toBe(false);
    expect(sameEffects([transfer], [transfer, fee])).toBe(false);
    expect(sameEffects([transfer, fee], [fee, transfer])).toBe(false);
  });
});

test('D322: an approver who may not read keys sees the bytes instead of an error', async () => {
  const body = {
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: '1',
    organizationId: 'o',
    parameters: { signWith: keyId },
  };
  const message = JSON.stringify(body);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(message));
  const fingerprint = `sha256:${Buffer.from(hash).toString('hex')}`;
  const activity = { ...body, id: 'a', fingerprint, intent: {}, votes: [{ message }] } as unknown as ListedActivity;
  const failing = (status: number) => {
    const fail = () => Promise.reject(new CountersignError(status, 'X', 'x'));
    return { getPrivateKey: fail, listWalletAccounts: fail } as unknown as Client;
  };
  const knowledge = { contacts: [], tokens: [], interfaces: [] };
  const prover = { record: async () => undefined, result: async () => undefined };
  expect(await checkActivity(failing(403), activity, knowledge, prover)).toMatchObject({ state: 'unread' });
  await expect(checkActivity(failing(500), activity, knowledge, prover)).rejects.toThrow();
});

const keyId = '01890000-0000-7000-8000-000000000000';

test('quantity keeps every digit of large amounts', () => {
  expect(quantity({ ...transfer, units: '123456789012345678901234567890.5' })).toBe(
    '123,456,789,012,345,678,901,234,567,890.5 USDC',
  );
});

test('plotted groups counts by interval and ignores pending activities', () => {
  const row = (startMs: number, status: string, count: string) =>
    ({ startMs: String(startMs), type: 'T', status, count }) as never;
  const { times, lines } = plotted(
    [
      row(1000, 'ACTIVITY_STATUS_COMPLETED', '2'),
      row(3000, 'ACTIVITY_STATUS_REJECTED', '1'),
      row(3000, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', '9'),
    ],
    { sinceMs: 1500, untilMs: 3500, stepMs: 1000 },
  );
  expect(times).toEqual([1000, 2000, 3000]);
  expect(lines).toEqual({ completed: [2, 0, 0], rejected: [0, 0, 1], failed: [0, 0, 0] });
});
