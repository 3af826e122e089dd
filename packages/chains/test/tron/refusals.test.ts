import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { ChainError } from '../../src/errors.ts';
import { tronTransaction } from '../../src/tron/index.ts';
import { parse, signer, vectors } from './support.ts';
import {
  contract,
  owner,
  parameter,
  type RawField,
  rawData,
  recipient,
  toHex,
  transfer,
  transferContract,
} from './wire-builder.ts';

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ChainError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** raw_data with one of its fields replaced. */
const withField = (number: number, ...fields: readonly RawField[]) =>
  rawData().flatMap((field) => (field[0] === number ? fields : [field]));
const withTransfer = (...fields: readonly RawField[]) => rawData([contract(1n, 'TransferContract', fields)]);
const oneOf = (type: bigint, name: string, ...fields: readonly RawField[]) => rawData([contract(type, name, fields)]);
const resource = (value: bigint) => oneOf(54n, 'FreezeBalanceV2Contract', [1, owner], [2, 5n], [3, value]);
const delegation = (lock: bigint) => oneOf(57n, 'DelegateResourceContract', [1, owner], [3, 5n], [4, recipient], [5, lock]);
const permissions = (...fields: readonly RawField[]) => oneOf(46n, 'AccountPermissionUpdateContract', [1, owner], ...fields);

const refused: readonly (readonly [string, readonly RawField[], string])[] = [
  ['an unknown field in raw_data', [...rawData(), [19, 1n]], 'raw_data has a field that is not supported: number 19'],
  [
    'a field that nodes ignore: ref_block_num',
    [[1, Uint8Array.of(1, 2)], [3, 5n], ...rawData().slice(1)],
    'not supported: number 3',
  ],
  ['a field that nodes ignore: auths', withField(8, [8, 1n], [9, [[2, utf8ToBytes('x')]]]), 'not supported: number 9'],
  ['a field that nodes ignore: scripts', withField(14, [12, utf8ToBytes('x')], [14, 1n]), 'not supported: number 12'],
  [
    'an unknown field in the contract',
    rawData([[...transferContract, [6, 1n]]]),
    'the contract has a field that is not supported: number 6',
  ],
  [
    'a field of the contract that hides text: provider',
    rawData([contract(1n, 'TransferContract', transfer, [3, utf8ToBytes('x')])]),
    'not supported: number 3',
  ],
  [
    'an unknown field in the parameter',
    rawData([
      [
        [1, 1n],
        [2, [...parameter('TransferContract', transfer), [3, 1n]]],
      ],
    ]),
    'not supported: number 3',
  ],
  [
    'an unknown field in the transfer',
    withTransfer(...transfer, [4, 1n]),
    'TransferContract has a field that is not supported: number 4',
  ],
  ['a repeated amount', withTransfer(...transfer, [3, 6n]), 'TransferContract has the field amount twice'],
  ['a repeated recipient', withTransfer([1, owner], [2, recipient], [2, owner], [3, 5n]), 'has the field to_address twice'],
  ['a repeated expiration', withField(8, [8, 1n], [8, 2n]), 'raw_data has the field expiration twice'],
  [
    'a repeated parameter',
    rawData([[...transferContract, [2, parameter('TransferContract', transfer)]]]),
    'the contract has the field parameter twice',
  ],
  ['fields out of order', withTransfer([2, recipient], [1, owner], [3, 5n]), 'not in canonical protobuf form'],
  ['raw_data out of order', rawData().toReversed(), 'not in canonical protobuf form'],
  ['a padded integer', withTransfer([1, owner], [2, recipient], [3, 5n, 1]), 'not in canonical protobuf form'],
  ['a padded length', withTransfer([1, owner, 1], [2, recipient], [3, 5n]), 'not in canonical protobuf form'],
  ['a default that is written out', withTransfer([1, owner], [2, recipient], [3, 0n]), 'not in canonical protobuf form'],
  [
    'Permission_id 0 written out',
    rawData([contract(1n, 'TransferContract', transfer, [5, 0n])]),
    'not in canonical protobuf form',
  ],
  ['an empty memo written out', withField(8, [8, 1n], [10, new Uint8Array()]), 'not in canonical protobuf form'],
  ['an amount as bytes', withTransfer([1, owner], [2, recipient], [3, Uint8Array.of(5)]), 'not supported: number 3'],
  ['a negative amount', withTransfer([1, owner], [2, recipient], [3, -5n]), 'is negative or too large'],
  ['a negative fee limit', [...rawData(), [18, -1n]], 'is negative or too large'],
  ['two contracts', rawData([transferContract, transferContract]), 'exactly one contract'],
  ['no contract', rawData([]), 'exactly one contract'],
  [
    'a type_url of another type',
    rawData([contract(1n, 'TriggerSmartContract', transfer)]),
    'the contract type is TransferContract, but its parameter has the type "type.googleapis.com/protocol.TriggerSmartContract"',
  ],
  [
    'a type_url with another host',
    rawData([
      [
        [1, 1n],
        [
          2,
          [
            [1, utf8ToBytes('evil.example/protocol.TransferContract')],
            [2, Uint8Array.of()],
          ],
        ],
      ],
    ]),
    'canonical',
  ],
  [
    'no type_url',
    rawData([
      [
        [1, 1n],
        [2, [[2, utf8ToBytes('x')]]],
      ],
    ]),
    'its parameter has the type ""',
  ],
  ['no parameter', rawData([[[1, 1n]]]), 'the contract has no parameter'],
  ['Permission_id 2', rawData([contract(1n, 'TransferContract', transfer, [5, 2n])]), 'only the owner permission'],
  ['Permission_id 1', rawData([contract(1n, 'TransferContract', transfer, [5, 1n])]), 'only the owner permission'],
  [
    'a Permission_id of more than 32 bits',
    rawData([contract(1n, 'TransferContract', transfer, [5, 1n << 32n])]),
    'is negative or too large',
  ],
  ['an owner that is not the signing key', withTransfer([1, recipient], [2, owner], [3, 5n]), 'the transaction acts for'],
  ['no owner', withTransfer([2, recipient], [3, 5n]), 'TransferContract has no owner_address'],
  ['no recipient', withTransfer([1, owner], [3, 5n]), 'TransferContract has no to_address'],
  [
    'an address of 20 bytes',
    withTransfer([1, owner], [2, recipient.slice(1)], [3, 5n]),
    'is not an address of 0x41 and 20 bytes',
  ],
  [
    'an address with another first byte',
    withTransfer([1, owner], [2, Uint8Array.of(0xa0, ...recipient.slice(1))], [3, 5n]),
    'is not an address of 0x41 and 20 bytes',
  ],
  ['a contract type that is not known', rawData([contract(99n, 'NewContract', transfer)]), 'contract type 99 is not supported'],
  ['a resource that is not known', resource(3n), 'has the unknown value 3'],
  ['a flag of 2', delegation(2n), 'is a flag that is not 1'],
  ['no owner permission', permissions(), 'AccountPermissionUpdateContract has no owner'],
  ['a permission name that is not UTF-8', permissions([2, [[3, Uint8Array.of(0xff)]]]), 'is not UTF-8 text'],
  [
    'an unknown field in a key of a permission',
    permissions([
      2,
      [
        [
          7,
          [
            [1, recipient],
            [3, 1n],
          ],
        ],
      ],
    ]),
    'Key has a field that is not supported',
  ],
  ['no expiration', withField(8), 'has no expiration'],
  ['no reference block', withField(1), 'reference block'],
  ['a reference hash of 32 bytes', withField(4, [4, new Uint8Array(32).fill(1)]), 'reference block'],
];

describe('D46: what is refused', () => {
  test('the builder makes transactions that are taken as long as nothing is wrong with them', () => {
    expect(parse(toHex(rawData())).description).toMatch(/^send 0.000005 TRX to T/);
    for (const fine of [resource(1n), delegation(1n), permissions([2, [[3, utf8ToBytes('owner')]]])])
      expect(parse(toHex(fine)).fullyParsed).toBe(true);
  });

  test.each(refused)('%s', (_, fields, message) => {
    const reason = refusal(() => parse(toHex(fields)));
    expect(reason).toMatch(/^INVALID_TRANSACTION: /);
    expect(reason).toContain(message);
  });

  test.each(vectors.refused)('tronweb: $name', ({ unsignedTransaction, message }) => {
    expect(refusal(() => parse(unsignedTransaction))).toContain(message);
  });

  test.each([
    ['an integer of 11 bytes', `40${'ff'.repeat(10)}01`, 'more than 64 bits'],
    ['an integer of 65 bits', `40${'ff'.repeat(9)}02`, 'more than 64 bits'],
    ['a length beyond the end', '0aff01', 'ends too early'],
    ['a length of 2^63', `0a${'80'.repeat(9)}01`, 'ends too early'],
    ['a cut integer', '4080', 'ends too early'],
    ['a group, which proto3 does not have', '0b0c', 'not supported'],
    ['field number 0', '0000', 'not supported: number 0'],
    ['no bytes', '', 'reference block'],
    ['half a byte', '0', 'is not hex'],
    ['text', 'hello', 'is not hex'],
    ['JSON', '{"raw_data":{}}', 'is not hex'],
  ])('%s', (_, text, message) => {
    expect(refusal(() => parse(text))).toContain(message);
  });

  test('more bytes than a node takes are refused before they are decoded', () => {
    expect(refusal(() => parse('00'.repeat(500 * 1024 + 1)))).toContain('longer than 512000 bytes');
  });

  test('every cut of a transaction is refused', () => {
    // Without its last field, the timestamp: a cut right before that one leaves a whole transaction.
    const whole = toHex(rawData().slice(0, -1));
    for (let end = 0; end < whole.length; end += 2)
      expect(refusal(() => parse(whole.slice(0, end)))).toMatch(/^INVALID_TRANSACTION/);
  });

  test('a signed transaction is not an unsigned one', () => {
    expect(refusal(() => parse(vectors.transactions[0]?.signedTransaction as string))).toMatch(/^INVALID_TRANSACTION/);
  });
});

describe('D47: the signer', () => {
  const other = { ...signer, publicKey: hexToBytes('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798') };
  const unsigned = vectors.transactions[0]?.unsignedTransaction as string;

  test('a key that is not the owner is refused', () => {
    expect(refusal(() => tronTransaction.parse(unsigned, { signer: other, interfaces: [] }))).toContain(
      'the transaction acts for',
    );
  });

  test('a key of another curve, or bytes that are no key, are refused', () => {
    const ed25519 = { curve: 'CURVE_ED25519', publicKey: new Uint8Array(32) } as const;
    expect(refusal(() => tronTransaction.parse(unsigned, { signer: ed25519, interfaces: [] }))).toMatch(/^INVALID_CURVE/);
    const bad = { ...signer, publicKey: new Uint8Array(33) };
    expect(refusal(() => tronTransaction.parse(unsigned, { signer: bad, interfaces: [] }))).toMatch(/^INVALID_PUBLIC_KEY/);
  });

  test('a transaction read for one signer is not signed for another', () => {
    const parsed = parse(unsigned);
    expect(() => tronTransaction.signingRequests(parsed, other)).toThrow('another signer');
    expect(() => tronTransaction.assemble(parsed, other, [{ bytes: new Uint8Array(64), recovery: 0 }])).toThrow('another signer');
  });

  test('assembling takes exactly one signature of 64 bytes', () => {
    const parsed = parse(unsigned);
    expect(() => tronTransaction.assemble(parsed, signer, [])).toThrow('expected 1 signature');
    expect(() => tronTransaction.assemble(parsed, signer, [{ bytes: new Uint8Array(65), recovery: 0 }])).toThrow('64 bytes');
  });
});

describe('descriptions of calls', () => {
  const call = (data: string) =>
    parse(
      toHex(
        oneOf(31n, 'TriggerSmartContract', [1, owner], [2, recipient], ...(data === '' ? [] : [[4, hexToBytes(data)] as const])),
      ),
    );
  const word = (hex: string) => hex.padStart(64, '0');

  test.each([
    ['a transfer with a dirty address word', `a9059cbb${'01'.padEnd(24, '0')}${'22'.repeat(20)}${word('1')}`],
    ['a transfer with a word too many', `a9059cbb${word('22'.repeat(20))}${word('1')}${word('1')}`],
    ['a transfer with a byte too many', `a9059cbb${word('22'.repeat(20))}${word('1')}00`],
    ['a transfer with a word too few', `a9059cbb${word('22'.repeat(20))}`],
    ['a selector only', 'a9059cbb'],
  ])('%s is not told as a transfer', (_, data) => {
    const { description, fullyParsed } = call(data);
    expect(description).toMatch(/^unknown call 0xa9059cbb on T\w+, \d+ bytes not understood: treat as dangerous/);
    expect(fullyParsed).toBe(false);
  });

  test('a call without data is what it is', () => {
    expect(call('')).toMatchObject({
      description: expect.stringMatching(/^call the contract without data on T\w+ on Tron, network fee at most /),
      fullyParsed: true,
    });
  });

  test('a memo that is not text is told as bytes', () => {
    const { description } = parse(toHex(withField(8, [8, 1n], [10, Uint8Array.of(0xff, 0x00)])));
    expect(description).toContain('memo 0xff00');
  });
});
