import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { ChainError } from '../../src/errors.ts';
import { solanaTransaction } from '../../src/solana/index.ts';
import { buildTransaction, emptySlot, key, type RawMessage, SYSTEM, TOKEN, u64 } from './message-builder.ts';
import { parse, signer, vector } from './support.ts';

const filled = new Uint8Array(64).fill(1);
const transfer = { program: 2, accounts: [0, 1], data: [2, 0, 0, 0, ...u64(5n)] };

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ChainError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

const refused: readonly (readonly [string, RawMessage, string])[] = [
  ['bytes after the message', { trailing: [0] }, 'has 1 bytes after its end'],
  ['bytes after a version 0 message', { version: 0x80, trailing: [0] }, 'has 1 bytes after its end'],
  ['message version 1', { version: 0x81 }, 'message version 1 is not supported'],
  ['an off-chain message', { version: 0xff }, 'message version 127 is not supported'],
  ['a key count in two bytes where one will do', { keysLength: [0x83, 0x00] }, 'not a shortest-form compact-u16'],
  [
    'a data length in three bytes where one will do',
    { instructions: [{ ...transfer, dataLength: [0x8c, 0x80, 0x00] }] },
    'not a shortest-form compact-u16',
  ],
  [
    'a length of more than 16 bits',
    { instructions: [{ ...transfer, dataLength: [0xff, 0xff, 0x04] }] },
    'not a shortest-form compact-u16',
  ],
  [
    'a length that never ends',
    { instructions: [{ ...transfer, dataLength: [0xff, 0xff, 0xff] }] },
    'not a shortest-form compact-u16',
  ],
  ['more keys than there are bytes', { keysLength: 30 }, 'ends too early'],
  ['no required signature', { header: [0, 0, 1], slots: [] }, 'leaves no writable signer'],
  ['a fee payer that is read-only', { header: [1, 1, 1] }, 'leaves no writable signer'],
  ['more required signers than keys', { header: [4, 0, 0] }, 'counts more accounts than the message holds'],
  ['more read-only accounts than keys', { header: [1, 0, 3] }, 'counts more accounts than the message holds'],
  [
    'fewer slots than required signers',
    { header: [2, 0, 1], slots: [emptySlot] },
    'has 1 signature slots, but its message needs 2',
  ],
  ['more slots than required signers', { slots: [emptySlot, emptySlot] }, 'has 2 signature slots, but its message needs 1'],
  ['an account key twice', { otherKeys: [key(1), SYSTEM, key(1)] }, 'names an account key twice'],
  [
    'the signer as a second account',
    { otherKeys: [key(1), SYSTEM, 'EBwz6QhoMNCS2ow3GtqRizbA9HLCsnHy8qtptAMxtPX'] },
    'names an account key twice',
  ],
  [
    'an account index out of range',
    { instructions: [{ ...transfer, accounts: [0, 3] }] },
    'uses an account index that is out of range',
  ],
  ['a program index out of range', { instructions: [{ ...transfer, program: 3 }] }, 'is not among the account keys'],
  ['the fee payer as program', { instructions: [{ ...transfer, program: 0 }] }, 'names the fee payer as its program'],
  ['no instructions', { instructions: [] }, 'has no instructions'],
  [
    'D39: a program from a lookup table',
    { version: 0x80, lookups: [{ table: key(9), writable: [], readonly: [0] }], instructions: [{ ...transfer, program: 3 }] },
    'is not among the account keys',
  ],
  [
    'a lookup without accounts',
    { version: 0x80, lookups: [{ table: key(9), writable: [], readonly: [] }] },
    'lookup takes no account',
  ],
  [
    'one table account as writable and read-only',
    { version: 0x80, lookups: [{ table: key(9), writable: [4], readonly: [4] }] },
    'takes one account twice',
  ],
  [
    'more than 256 accounts',
    { version: 0x80, lookups: [key(8), key(9)].map((table) => ({ table, writable: [...new Array(130).keys()], readonly: [] })) },
    'uses more than 256 accounts',
  ],
  ['more bytes than fit a packet', { instructions: new Array(70).fill(transfer) }, 'bytes that fit a packet'],
  ['a slot that this signer filled already', { slots: [filled] }, 'is already signed by'],
  [
    'a transfer with a byte after its amount',
    { instructions: [{ ...transfer, data: [...transfer.data, 0] }] },
    'has 1 bytes after its end',
  ],
  ['a transfer with a cut amount', { instructions: [{ ...transfer, data: transfer.data.slice(0, 11) }] }, 'ends too early'],
  ['a transfer with one account', { instructions: [{ ...transfer, accounts: [0] }] }, 'needs 2 accounts, got 1'],
  [
    'a token transfer with a byte after its amount',
    { otherKeys: [key(1), TOKEN], instructions: [{ program: 2, accounts: [1, 1, 0], data: [3, ...u64(5n), 0] }] },
    'the transfer instruction of the Token program has 1 bytes after its end',
  ],
  [
    'an authority that does not exist',
    { otherKeys: [key(1), TOKEN], instructions: [{ program: 2, accounts: [1, 0], data: [6, 99, 0] }] },
    'the token authority type 99 is not known',
  ],
  [
    'an optional key with another tag',
    { otherKeys: [key(1), TOKEN], instructions: [{ program: 2, accounts: [1, 0], data: [6, 2, 2, ...new Array(32).fill(1)] }] },
    'must be 0 or 1',
  ],
  [
    'a seed of a length beyond the data',
    { instructions: [{ program: 2, accounts: [0, 1], data: [3, 0, 0, 0, ...new Array(32).fill(7), ...u64(2n ** 64n - 1n)] }] },
    'a seed is longer than 32 bytes',
  ],
  [
    'a memo that is not UTF-8',
    { otherKeys: [key(1), 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'], instructions: [{ program: 2, data: [0xff, 0xfe] }] },
    'holds text that is not UTF-8',
  ],
];

describe('what is refused', () => {
  test('the builder makes a transaction that is taken as long as nothing is wrong with it', () => {
    expect(parse(buildTransaction({})).fullyParsed).toBe(true);
    expect(parse(buildTransaction({ version: 0x80 })).fullyParsed).toBe(true);
  });

  test.each(refused)('%s', (_, raw, message) => {
    const reason = refusal(() => parse(buildTransaction(raw)));
    expect(reason).toMatch(/^INVALID_TRANSACTION: /);
    expect(reason).toContain(message);
  });

  test.each(['', '0x', '0', 'zz', '01', 'AA=='])('text that is no transaction: %j', (text) => {
    expect(refusal(() => parse(text))).toMatch(/^INVALID_TRANSACTION: /);
  });

  test('text of a megabyte is refused before it is decoded', () => {
    expect(refusal(() => parse('00'.repeat(500_000)))).toContain('fit a packet');
  });

  test('every cut of a transaction is refused', () => {
    const whole = vector('several transfers with compute budget and memo').unsignedTransaction;
    for (let end = 0; end < whole.length; end += 2)
      expect(refusal(() => parse(whole.slice(0, end)))).toMatch(/^INVALID_TRANSACTION/);
  });
});

describe('D47: the signer', () => {
  const other = { ...signer, publicKey: new Uint8Array(32).fill(200) };

  test('a key that the transaction does not name is refused', () => {
    const run = () => solanaTransaction.parse(buildTransaction({}), { signer: other, interfaces: [] });
    expect(refusal(run)).toContain('does not need a signature');
  });

  test('a key that is an account but not a signer is refused', () => {
    const bystander = { ...signer, publicKey: base58.decode(key(1)) };
    const run = () => solanaTransaction.parse(buildTransaction({}), { signer: bystander, interfaces: [] });
    expect(refusal(run)).toContain('does not need a signature');
  });

  test('a key of another curve is refused', () => {
    const run = () =>
      solanaTransaction.parse(buildTransaction({}), { signer: { ...signer, curve: 'CURVE_P256' }, interfaces: [] });
    expect(refusal(run)).toMatch(/^INVALID_CURVE/);
  });

  test('a transaction read for one signer is not signed for another', () => {
    const parsed = parse(buildTransaction({}));
    expect(() => solanaTransaction.signingRequests(parsed, other)).toThrow('another signer');
    expect(() => solanaTransaction.assemble(parsed, other, [{ bytes: filled, recovery: 0 }])).toThrow('another signer');
  });

  test('assembling takes exactly one signature of 64 bytes', () => {
    const parsed = parse(buildTransaction({}));
    const signature = { bytes: filled, recovery: 0 } as const;
    expect(() => solanaTransaction.assemble(parsed, signer, [])).toThrow('expected 1 signature');
    expect(() => solanaTransaction.assemble(parsed, signer, [signature, signature])).toThrow('expected 1 signature');
    expect(() => solanaTransaction.assemble(parsed, signer, [{ bytes: filled.subarray(1), recovery: 0 }])).toThrow('64 bytes');
  });

  test('the filled slots of others stay as they are', () => {
    const unsigned = buildTransaction({ header: [2, 0, 1], slots: [emptySlot, filled] });
    const signed = solanaTransaction.assemble(parse(unsigned), signer, [{ bytes: new Uint8Array(64).fill(7), recovery: 0 }]);
    expect(signed).toBe(`02${'07'.repeat(64)}${'01'.repeat(64)}${unsigned.slice(2 + 256)}`);
  });
});
