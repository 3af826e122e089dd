import type { PolicyValue } from '@countersign/policy';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { base58check } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { transaction } from './arbitrary-transaction.ts';
import { messageType, reencode } from './oracle.ts';
import { parse, sign, vectors } from './support.ts';

const enums: Readonly<Record<string, readonly string[]>> = {
  'DelegateResourceContract.resource': ['BANDWIDTH', 'ENERGY', 'TRON_POWER'],
  'Permission.type': ['Owner', 'Witness', 'Active'],
};

/** What policy should see of a message that was made of these fields. */
function expected(name: string, fields: Readonly<Record<string, unknown>>): PolicyValue {
  const type = messageType(name);
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, view(`${name}.${field}`, value, type.fields[field]?.type ?? '')]),
  );
}

function view(path: string, value: unknown, type: string): PolicyValue {
  if (Array.isArray(value)) return value.map((item) => view(path, item, type));
  if (enums[path]) return enums[path]?.[value as number] as string;
  if (value instanceof Uint8Array)
    return path.toLowerCase().endsWith('address') ? base58check(sha256).encode(value) : bytesToHex(value);
  if (type === 'int64' || type === 'int32') return BigInt(value as string);
  return typeof value === 'object' ? expected(type, value as Readonly<Record<string, unknown>>) : (value as PolicyValue);
}

describe('protobufjs reads and writes the same', () => {
  test('any transaction that it writes is taken, and policy sees what it was made of', () => {
    fc.assert(
      fc.property(transaction, ({ bytes, name, content, header }) => {
        const { policy } = parse(bytesToHex(bytes));
        expect(policy).toMatchObject(expected('Raw', header) as object);
        expect(policy.contract).toMatchObject([{ type: name, ...(expected(name, content) as object) }]);
      }),
    );
  });

  test('a signed transaction holds the raw bytes unchanged and one signature of 65 bytes', () => {
    fc.assert(
      fc.property(transaction, ({ bytes }) => {
        const signed = hexToBytes(sign(parse(bytesToHex(bytes))));
        expect(reencode('Transaction', signed)).toEqual(signed);
        const { signature } = messageType('Transaction').decode(signed) as unknown as { signature: Uint8Array[] };
        expect(signature.map(({ length }) => length)).toEqual([65]);
        expect(bytesToHex(signed)).toContain(bytesToHex(bytes));
      }),
      { numRuns: 25 },
    );
  });

  test('what tronweb wrote is canonical to protobufjs as well', () => {
    for (const { unsignedTransaction } of vectors.transactions) {
      expect(bytesToHex(reencode('Raw', hexToBytes(unsignedTransaction)))).toBe(unsignedTransaction);
    }
  });
});
