import { hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { encode } from './oracle.ts';
import { owner } from './wire-builder.ts';

const int64 = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Uint8Array.of(0x41, ...bytes));
const data = fc.uint8Array({ maxLength: 200 });
const permission = fc.record({
  type: fc.nat(2),
  id: fc.nat(9),
  permission_name: fc.string({ unit: 'grapheme', maxLength: 20 }),
  threshold: int64,
  operations: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  keys: fc.array(fc.record({ address, weight: int64 }), { maxLength: 3 }),
});

const owner_address = fc.constant(owner);

const kinds: readonly (readonly [number, string, fc.Arbitrary<Readonly<Record<string, unknown>>>])[] = [
  [1, 'TransferContract', fc.record({ owner_address, to_address: address, amount: int64 })],
  [
    31,
    'TriggerSmartContract',
    fc.record({ owner_address, contract_address: address, call_value: int64, data, call_token_value: int64, token_id: int64 }),
  ],
  [
    57,
    'DelegateResourceContract',
    fc.record({
      owner_address,
      resource: fc.nat(2),
      balance: int64,
      receiver_address: address,
      lock: fc.boolean(),
      lock_period: int64,
    }),
  ],
  [
    46,
    'AccountPermissionUpdateContract',
    fc.record(
      { owner_address, owner: permission, witness: permission, actives: fc.array(permission, { maxLength: 3 }) },
      { requiredKeys: ['owner_address', 'owner', 'actives'] },
    ),
  ],
];

/** A transaction of the test signer: its bytes by a second implementation, and the fields it was made of. */
export interface ArbitraryTransaction {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
}

const header = fc.record({
  ref_block_bytes: fc.uint8Array({ minLength: 2, maxLength: 2 }),
  ref_block_hash: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  expiration: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String),
  data: fc.oneof(fc.constant(hexToBytes('')), data),
  timestamp: int64,
  fee_limit: int64,
});

export const transaction: fc.Arbitrary<ArbitraryTransaction> = fc
  .oneof(...kinds.map(([type, name, content]) => content.map((value) => ({ type, name, content: value }))))
  .chain(({ type, name, content }) =>
    header.map((fields) => {
      const parameter = { type_url: `type.googleapis.com/protocol.${name}`, value: encode(name, content) };
      return { bytes: encode('Raw', { ...fields, contract: [{ type, parameter }] }), name, content, header: fields };
    }),
  );
