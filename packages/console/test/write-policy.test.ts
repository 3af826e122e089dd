import { policyOptions } from '@countersign/judgement';
import { checkPolicy } from '@countersign/policy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answers, writePolicy } from '../src/pages/policies/write-policy.ts';

const answers: fc.Arbitrary<Answers> = fc.record({
  what: fc.constantFrom('payments', 'anySignature', 'wallets', 'people'),
  chainId: fc.constantFrom('1', '8453', '42161', '10'),
  fee: fc.constantFrom('', '0.02', '1'),
  receivers: fc.constantFrom('any', 'contacts', 'tag vendors', 'tag pay-roll_2'),
  symbol: fc.constantFrom('', 'USDC', 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f'),
  most: fc.constantFrom('', '25000', '0.5'),
  approvals: fc.integer({ min: 1, max: 5 }),
  tagId: fc.oneof(fc.constant(''), fc.uuid(), fc.string()),
});

test('the form writes only valid policies', () => {
  fc.assert(
    fc.property(
      // Without the name of an asset, an amount is in base units, which have no fraction.
      answers.filter(({ symbol, most }) => symbol === 'USDC' || !most.includes('.')),
      (given) => {
        const { condition, consensus } = writePolicy(given);
        // The request omits an empty consensus.
        expect(checkPolicy({ condition, ...(consensus !== '' && { consensus }) }, policyOptions)).toEqual([]);
      },
    ),
  );
});

test('a payment policy allows only transfers and fees, all of them understood', () => {
  const { condition, consensus } = writePolicy({
    what: 'payments',
    chainId: '1',
    fee: '0.02',
    receivers: 'tag vendors',
    symbol: 'USDC',
    most: '25000',
    approvals: 2,
    tagId: 'treasurers',
  });
  expect(condition).toBe(
    [
      'eth.tx.chain_id == 1',
      'tx.is_payment',
      'tx.max_fee <= 0.02 ETH',
      "tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors'))",
      'tx.payments.total(USDC) <= 25000 USDC',
    ].join('\n  && '),
  );
  expect(consensus).toBe("approvers.filter(user, user.tags.contains('treasurers')).count() >= 2");
});
