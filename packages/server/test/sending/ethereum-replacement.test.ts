import { encodeFeeMarketTransaction, transactionTypes } from '@countersign/chains';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { ethereumReplacement } from '../../src/sending/ethereum-replacement.ts';
import type { SendingAccount } from '../../src/sending/sending.ts';

const from = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const GWEI = 1_000_000_000n;
const facts = { latest: 0, pending: 0, balance: 10n ** 18n, baseFee: 20n * GWEI, priorityFee: GWEI, gasPrice: 0n, gas: 21_000n };

const type = transactionTypes.TRANSACTION_TYPE_ETHEREUM;

/** A signed transaction with the nonce 0. Its signature is made up: only its fields are read. */
function signed(maxFeePerGas: bigint): string {
  const fields = { chainId: 1n, nonce: 0n, gas: 21_000n, to: from, value: 1n, data: '0x' };
  const unsigned = encodeFeeMarketTransaction({ ...fields, maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas });
  const signer = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.keygen().publicKey } as never;
  const parsed = type.parse(unsigned, { signer } as never);
  return type.assemble(parsed, signer, [{ bytes: new Uint8Array(64).fill(1), recovery: 0 }] as never);
}

/** An account with transactions that replace each other, with fees of 1, 2, 3... wei. */
function accountWith(count: number): SendingAccount {
  const active = Array.from({ length: count }, (_, at) => ({
    ...{ id: `${at}`, nonce: 0, state: 'BROADCASTING', hash: `0x${at}`, signed: signed(BigInt(at + 1)) },
    ...(at > 0 && { replaces: `${at - 1}` }),
  }));
  return { account: undefined, active: active as never };
}

function speedUp(count: number, fees: { maxFeePerGas?: string; maxPriorityFeePerGas?: string }) {
  const params = { from, caip2: 'eip155:1', sendTransactionStatusId: `${count - 1}`, replacement: 'SPEED_UP' as const, ...fees };
  const account = accountWith(count);
  return ethereumReplacement.complete({ params, account, planned: undefined }, facts, { maxFeePerGas: 500n * GWEI });
}

test('D1017: fees that no block takes do not keep a replacement away that pays what the chain asks for', () => {
  const cheap = { maxFeePerGas: '100', maxPriorityFeePerGas: '100' };
  expect(speedUp(7, cheap)).toMatchObject({ maxFeePerGas: '100' });
  expect(() => speedUp(8, cheap)).toThrow('8 transactions with the nonce 0 wait');
  const feeOnly = { maxFeePerGas: `${100n * GWEI}`, maxPriorityFeePerGas: '100' };
  expect(() => speedUp(8, feeOnly)).toThrow('8 transactions with the nonce 0 wait');
  expect(speedUp(8, {})).toMatchObject({ maxFeePerGas: `${41n * GWEI}`, maxPriorityFeePerGas: `${GWEI}` });
  expect(() => speedUp(16, {})).toThrow('16 transactions with the nonce 0 wait');
});
