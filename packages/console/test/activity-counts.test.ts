import { isSignature } from '@countersign/contract';
import { expect, test } from 'vitest';
import { total } from '../src/pages/overview/counts.ts';

test('the signatures of the overview include the payments that the service sends', () => {
  const counts = ['SIGN_RAW_PAYLOAD_V2', 'ETH_SEND_TRANSACTION', 'BITCOIN_SEND_TRANSACTION', 'CREATE_WALLET'].map((type) => ({
    ...{ startMs: '0', type: `ACTIVITY_TYPE_${type}`, status: 'ACTIVITY_STATUS_COMPLETED' as const, count: '2' },
  }));
  expect(total(counts, 'ACTIVITY_STATUS_COMPLETED', isSignature)).toBe(6);
  expect(total(counts, 'ACTIVITY_STATUS_COMPLETED')).toBe(8);
  expect(total(counts, 'ACTIVITY_STATUS_FAILED')).toBe(0);
});
