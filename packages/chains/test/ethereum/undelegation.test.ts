import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { TxEnvelopeEip7702 } from 'ox';
import { describe, expect, test } from 'vitest';
import { ethereumAddressOf } from '../../src/addresses/ethereum.ts';
import { ethereumTransaction } from '../../src/ethereum/ethereum-transaction.ts';
import { encodeUndelegation, undelegationAuthorization, undelegationDigest } from '../../src/ethereum/undelegation.ts';

const secret = Uint8Array.from({ length: 32 }, (_, at) => at + 1);
const publicKey = secp256k1.getPublicKey(secret);
const account = ethereumAddressOf(publicKey);
const context = { signer: { curve: 'CURVE_SECP256K1' as const, publicKey }, interfaces: [] };
const fields = { account, chainId: 1n, nonce: 7n, maxPriorityFeePerGas: 2n, maxFeePerGas: 9n, gas: 46_000n };

function signatureBy(key: Uint8Array) {
  const bytes = secp256k1.sign(undelegationDigest(fields), key, { prehash: false, format: 'recovered' });
  const hex = bytesToHex(bytes);
  return { yParity: BigInt(bytes[0] as number), r: BigInt(`0x${hex.slice(2, 66)}`), s: BigInt(`0x${hex.slice(66)}`) };
}

const parse = (unsigned: string, more: object = {}) => ethereumTransaction.parse(unsigned, { ...context, ...more });
const awaiting = { signsAuthorizations: true };

describe('a transaction that removes a delegation', () => {
  test('has one authorization of the next nonce, and no amount and data, for a second implementation', () => {
    const read = TxEnvelopeEip7702.deserialize(`0x${encodeUndelegation(fields, signatureBy(secret))}` as `0x04${string}`);
    expect(read).toMatchObject({ chainId: 1, nonce: 7n, gas: 46_000n, maxFeePerGas: 9n, maxPriorityFeePerGas: 2n, to: account });
    expect(read.value ?? 0n).toBe(0n);
    expect(read.data ?? '0x').toBe('0x');
    expect(read.authorizationList).toHaveLength(1);
    expect(read.authorizationList[0]).toMatchObject({ address: `0x${'0'.repeat(40)}`, chainId: 1, nonce: 8n });
    expect(undelegationAuthorization(fields)).toEqual({ chainId: 1n, address: `0x${'0'.repeat(40)}`, nonce: 8n });
  });

  test('reads the same before and after the authorization is signed', () => {
    const { awaitsAuthorizations, envelope: _, ...before } = parse(encodeUndelegation(fields), awaiting);
    const { envelope: __, ...after } = parse(encodeUndelegation(fields, signatureBy(secret)));
    expect(awaitsAuthorizations).toBe(true);
    expect(after).toEqual(before);
    expect(after).toMatchObject({ fullyParsed: true, policy: { type: 'TYPE_4', to: account, value: 0n, data: '0x' } });
  });

  test('D1002: without the signature of the authorization it cannot be signed', () => {
    const parsed = parse(encodeUndelegation(fields), awaiting);
    expect(() => ethereumTransaction.signingRequests(parsed, context.signer)).toThrow('not signed yet');
  });

  test('D1002: an authorization without a signature is nobody’s in every other transaction', () => {
    const parsed = parse(encodeUndelegation(fields));
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.policy.authorization_list).toEqual([expect.not.objectContaining({ authority: expect.anything() })]);
  });

  test('D1002: an authorization that another key signed is that of another account', () => {
    const other = Uint8Array.from(secret).reverse();
    const parsed = parse(encodeUndelegation(fields, signatureBy(other)), awaiting);
    expect(parsed.policy.authorization_list).toMatchObject([{ authority: ethereumAddressOf(secp256k1.getPublicKey(other)) }]);
  });
});
