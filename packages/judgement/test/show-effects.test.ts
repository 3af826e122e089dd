import type { Effect } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { showParsed } from '@countersign/judgement';
import { expect, test } from 'vitest';

const asset = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH', decimals: 18 } as const;

test('the contract describes every field of every effect', () => {
  const effects: readonly Effect[] = [
    { kind: 'TRANSFER', asset, amount: 5n, from: 'a', to: 'b', owner: 'c', fee: 1n },
    { kind: 'ALLOWANCE', asset, amount: 5n, from: 'a', to: 'b', unlimited: true, permit: true, expires: 9n },
    { kind: 'FEE', asset, amount: 5n, from: 'a' },
    { kind: 'CREATE', what: 'ACCOUNT', asset, amount: 5n, from: 'a', to: 'b', owner: 'c' },
    { kind: 'AUTHORITY', what: 'w', from: 'a', to: 'b' },
    { kind: 'CALL', what: 'w', to: 'b' },
    { kind: 'REPLAYABLE', what: 'w', lasting: true },
    { kind: 'UNKNOWN', what: 'w', to: 'b', bytes: 4 },
  ];
  const shown = showParsed({ namespace: 'eth.tx', policy: {}, description: 'd', fullyParsed: false, unparsed: ['u'], effects });
  // The schema drops unknown fields.
  expect(queries.simulateActivity.output.shape.parsed.parse(shown)).toEqual(shown);
});
