import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import {
  Address,
  Authorization,
  Secp256k1,
  Signature,
  TransactionEnvelope,
  TxEnvelopeEip1559,
  TxEnvelopeEip2930,
  TxEnvelopeEip4844,
  TxEnvelopeEip7702,
  TxEnvelopeLegacy,
} from 'ox';
import { expect, test } from 'vitest';
import { ethereumAddressOf, ethereumTransaction } from '../../src/ethereum/index.ts';
import { type OracleTransaction, secretKey, transaction } from './arbitrary-transactions.ts';
import { parse, signerOf, signWith } from './support.ts';

const oxTypes = { LEGACY: 'legacy', TYPE_1: 'eip2930', TYPE_2: 'eip1559', TYPE_3: 'eip4844', TYPE_4: 'eip7702' };
const oxModules = {
  LEGACY: TxEnvelopeLegacy,
  TYPE_1: TxEnvelopeEip2930,
  TYPE_2: TxEnvelopeEip1559,
  TYPE_3: TxEnvelopeEip4844,
  TYPE_4: TxEnvelopeEip7702,
};

test('what ox serialises is parsed to the same fields', () => {
  fc.assert(
    fc.property(transaction, ({ type, unsigned, payload, fields }) => {
      const parsed = parse(unsigned);
      const [request] = ethereumTransaction.signingRequests(parsed, {
        curve: 'CURVE_SECP256K1',
        publicKey: parsed.signerPublicKey,
      });
      expect(request?.kind === 'ecdsa' && `0x${bytesToHex(request.digest)}`).toBe(payload);
      expect(`0x${bytesToHex(parsed.envelope.signingBytes)}`).toBe(unsigned);
      expect(parsed.policy).toMatchObject({ type, nonce: fields.nonce, gas: fields.gas, value: fields.value, data: fields.data });
      expect(parsed.policy.to).toBe(fields.to ?? '');
      expect(parsed.policy.is_deployment).toBe(fields.to === undefined);
      expect(parsed.policy.chain_id).toBe(fields.chainId === undefined ? undefined : BigInt(fields.chainId as number));
      expect(parsed.policy.gas_price).toBe(fields.gasPrice ?? fields.maxFeePerGas);
      expect(parsed.policy.max_fee_per_gas).toBe(fields.maxFeePerGas);
      expect(parsed.policy.max_priority_fee_per_gas).toBe(fields.maxPriorityFeePerGas);
      expect(parsed.policy.max_fee_per_blob_gas).toBe(fields.maxFeePerBlobGas);
      expect(parsed.policy.blob_versioned_hashes).toEqual(fields.blobVersionedHashes);
      expect(parsed.policy.access_list).toEqual(accessListOf(fields));
      expect(parsed.policy.authorization_list).toEqual(authorizationsOf(fields));
    }),
  );
});

test('what we sign is read by ox and recovers to the address of the key', () => {
  fc.assert(
    fc.property(transaction, secretKey, ({ type, unsigned, payload }, key) => {
      const signed = TransactionEnvelope.deserialize(`0x${signWith(key, unsigned)}`);
      expect(signed.type).toBe(oxTypes[type]);
      const signature = Signature.extract(signed as never) as Signature.Signature;
      expect(Secp256k1.recoverAddress({ payload, signature }).toLowerCase()).toBe(ethereumAddressOf(signerOf(key).publicKey));
    }),
  );
});

test('the signed bytes are the ones ox serialises with the same signature', () => {
  fc.assert(
    fc.property(transaction, secretKey, (oracle, key) => {
      const privateKey = `0x${bytesToHex(key)}` as const;
      const expected = serializeSigned(oracle, Secp256k1.sign({ payload: oracle.payload, privateKey }));
      expect(`0x${signWith(key, oracle.unsigned)}`).toBe(expected);
    }),
    { numRuns: 50 },
  );
});

function serializeSigned({ type, fields }: OracleTransaction, signature: Signature.Signature): string {
  // biome-ignore lint/suspicious/noExplicitAny: the five modules of ox have the same functions over five different types.
  const ox = oxModules[type] as any;
  return ox.serialize(ox.from(fields), { signature });
}

function accessListOf({ accessList }: OracleTransaction['fields']): unknown {
  if (accessList === undefined) return undefined;
  return (accessList as { address: string; storageKeys: string[] }[]).map(({ address, storageKeys }) => ({
    address,
    storage_keys: storageKeys,
  }));
}

function authorizationsOf({ authorizationList }: OracleTransaction['fields']): unknown {
  if (authorizationList === undefined) return undefined;
  return (authorizationList as Authorization.ListSigned).map((entry) => ({
    chain_id: BigInt(entry.chainId),
    address: entry.address,
    nonce: entry.nonce,
    authority: Address.from(
      Secp256k1.recoverAddress({ payload: Authorization.getSignPayload(entry), signature: Signature.extract(entry) as never }),
    ).toLowerCase(),
  }));
}
