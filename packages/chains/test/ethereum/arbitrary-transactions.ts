import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import {
  Authorization,
  Secp256k1,
  TxEnvelopeEip1559,
  TxEnvelopeEip2930,
  TxEnvelopeEip4844,
  TxEnvelopeEip7702,
  TxEnvelopeLegacy,
} from 'ox';

export const hexOf = (constraints: { minLength?: number; maxLength: number }): fc.Arbitrary<`0x${string}`> =>
  fc.uint8Array(constraints).map((bytes) => `0x${bytesToHex(bytes)}` as const);
export const fixedHex = (length: number): fc.Arbitrary<`0x${string}`> => hexOf({ minLength: length, maxLength: length });
export const uint = (bits: number): fc.Arbitrary<bigint> =>
  // Small and large values alike: a plain range would hardly ever give a short one.
  fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }));

export const secretKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => secp256k1.utils.isValidSecretKey(bytes));

const common = {
  nonce: uint(53),
  gas: uint(53),
  value: uint(256),
  data: hexOf({ maxLength: 100 }),
};
const to = fixedHex(20);
const maybeTo = fc.option(to, { nil: undefined });
// ox adds up to 63 to twice the id, in a number, on its way to a legacy `v`: it is an oracle only up to here.
const chainId = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 2 ** 52 - 32 }));
const accessList = fc.array(
  fc
    .record({ address: to, storageKeys: fc.array(fixedHex(32), { maxLength: 3 }) })
    .map(({ address, storageKeys }) => ({ address, storageKeys })),
  { maxLength: 3 },
);
const fees = fc
  .tuple(uint(128), uint(128))
  .map(([a, b]) => (a < b ? { maxPriorityFeePerGas: a, maxFeePerGas: b } : { maxPriorityFeePerGas: b, maxFeePerGas: a }));
const authorization = fc
  .record({ address: to, chainId: fc.nat(), nonce: uint(53), key: secretKey })
  .map(({ key, ...unsigned }) => {
    const payload = Authorization.getSignPayload(Authorization.from(unsigned));
    return Authorization.from(unsigned, { signature: Secp256k1.sign({ payload, privateKey: `0x${bytesToHex(key)}` }) });
  });

/** What ox makes of random fields: the unsigned transaction, its signing hash by ox, and the fields it was made of. */
export interface OracleTransaction {
  readonly type: 'LEGACY' | 'TYPE_1' | 'TYPE_2' | 'TYPE_3' | 'TYPE_4';
  readonly unsigned: `0x${string}`;
  readonly payload: `0x${string}`;
  readonly fields: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the five modules of ox have the same two functions over five different types.
const oracle = (type: OracleTransaction['type'], ox: any) => (fields: Record<string, unknown>) => {
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const envelope = ox.from(present);
  return { type, unsigned: ox.serialize(envelope), payload: ox.getSignPayload(envelope), fields: present } as OracleTransaction;
};

/** Transactions of every type that the service signs. */
export const transaction: fc.Arbitrary<OracleTransaction> = fc.oneof(
  fc
    .record({ ...common, to: maybeTo, gasPrice: uint(128), chainId: fc.option(chainId, { nil: undefined }) })
    .map(oracle('LEGACY', TxEnvelopeLegacy)),
  fc.record({ ...common, to: maybeTo, gasPrice: uint(128), chainId, accessList }).map(oracle('TYPE_1', TxEnvelopeEip2930)),
  fc
    .record({ ...common, to: maybeTo, chainId, accessList, fees })
    .map(({ fees, ...rest }) => oracle('TYPE_2', TxEnvelopeEip1559)({ ...rest, ...fees })),
  fc
    .record({
      ...common,
      to,
      chainId,
      accessList,
      fees,
      maxFeePerBlobGas: uint(128),
      blobVersionedHashes: fc.array(
        fixedHex(31).map((hash) => `0x01${hash.slice(2)}` as const),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map(({ fees, ...rest }) => oracle('TYPE_3', TxEnvelopeEip4844)({ ...rest, ...fees })),
  fc
    .record({
      ...common,
      to,
      chainId,
      accessList,
      fees,
      authorizationList: fc.array(authorization, { minLength: 1, maxLength: 2 }),
    })
    .map(({ fees, ...rest }) => oracle('TYPE_4', TxEnvelopeEip7702)({ ...rest, ...fees })),
);
