import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { tronTransaction } from '../../src/tron/index.ts';
import { toJson } from '../solana/support.ts';
import { parse, sign, signer, vectors } from './support.ts';

describe('transactions made by tronweb', () => {
  test.each(vectors.transactions)(
    '$name: what policy and people see',
    ({ unsignedTransaction, expected, fullyParsed, description }) => {
      const parsed = parse(unsignedTransaction);
      expect(toJson(parsed.policy)).toEqual(expected);
      expect(parsed.namespace).toBe('tron.tx');
      expect(parsed.fullyParsed).toBe(fullyParsed);
      expect(parsed.unparsed.length > 0).toBe(!fullyParsed);
      if (description !== undefined) expect(parsed.description).toBe(description);
      expect(parsed.description).not.toContain('undefined');
    },
  );

  test.each(vectors.transactions)('$name: the signed transaction is the same', ({ unsignedTransaction, signedTransaction }) => {
    expect(sign(parse(unsignedTransaction))).toBe(signedTransaction);
  });

  test.each(vectors.transactions)(
    'D46: $name: what is signed is SHA-256 of the bytes that were parsed',
    ({ unsignedTransaction, txId }) => {
      const [request, ...others] = tronTransaction.signingRequests(parse(unsignedTransaction), signer);
      expect(others).toEqual([]);
      expect(request).toEqual({ kind: 'ecdsa', digest: sha256(hexToBytes(unsignedTransaction)) });
      expect(request?.kind === 'ecdsa' && bytesToHex(request.digest)).toBe(txId);
    },
  );

  test('the sender that a node recovers from the signature is the owner', () => {
    for (const { unsignedTransaction } of vectors.transactions) {
      const signed = hexToBytes(sign(parse(unsignedTransaction)));
      const signature = signed.subarray(-65);
      const recovered = Uint8Array.of((signature[64] as number) - 27, ...signature.subarray(0, 64));
      const digest = sha256(hexToBytes(unsignedTransaction));
      expect(secp256k1.recoverPublicKey(recovered, digest, { prehash: false })).toEqual(signer.publicKey);
    }
  });

  test('integers are integers', () => {
    expect(parse(vectors.transactions[0]?.unsignedTransaction as string).policy).toMatchObject({
      expiration: 1700000060000n,
      contract: [{ amount: 1500000n, permission_id: 0n }],
    });
  });

  test('hex may have a prefix and capital letters', () => {
    const { unsignedTransaction, signedTransaction } = vectors.transactions[0] as (typeof vectors.transactions)[number];
    expect(sign(parse(`0x${unsignedTransaction.toUpperCase()}`))).toBe(signedTransaction);
  });
});
