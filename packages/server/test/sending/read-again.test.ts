import { encodeUndelegation, transactionTypes, undelegationDigest } from '@countersign/chains';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { readAgain } from '../../src/sending/read-again.ts';

const type = transactionTypes.TRANSACTION_TYPE_ETHEREUM;
const secret = Uint8Array.from({ length: 32 }, (_, at) => at + 1);
const context = { signer: { curve: 'CURVE_SECP256K1' as const, publicKey: secp256k1.getPublicKey(secret) }, interfaces: [] };
// The address of the key.
const account = '0x6370ef2f4db3611d657b90667de398a2cc2a370c';
const fields = { account, chainId: 1n, nonce: 7n, maxPriorityFeePerGas: 2n, maxFeePerGas: 9n, gas: 46_000n };
const allowed = type.parse(encodeUndelegation(fields), { ...context, signsAuthorizations: true });

function signed(of: typeof fields, key = secret): string {
  const bytes = secp256k1.sign(undelegationDigest(of), key, { prehash: false, format: 'recovered' });
  const hex = bytesToHex(bytes);
  const signature = { yParity: BigInt(bytes[0] as number), r: BigInt(`0x${hex.slice(2, 66)}`), s: BigInt(`0x${hex.slice(66)}`) };
  return encodeUndelegation(of, signature);
}

describe('a transaction with the signatures inside of it', () => {
  test('is the one that was allowed', () => {
    const found = readAgain(type, signed(fields), context, allowed);
    expect(found.policy.from).toBe(account);
    expect(type.signingRequests(found, context.signer)).toHaveLength(1);
  });

  test.each([
    ['another nonce', signed({ ...fields, nonce: 8n })],
    ['another chain', signed({ ...fields, chainId: 5n })],
    ['a higher fee', signed({ ...fields, maxFeePerGas: 10n })],
    ['another receiver', signed({ ...fields, account: `0x${'11'.repeat(20)}` })],
    ['a signature of another key', signed(fields, Uint8Array.from(secret).reverse())],
    ['no signature', encodeUndelegation(fields)],
  ])('D1002: it is not signed with %s', (_, unsigned) => {
    expect(() => readAgain(type, unsigned, context, allowed)).toThrow('differs from the one that was allowed');
  });
});
