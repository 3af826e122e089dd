import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58check } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TokenList } from '../../src/effects/token-list.ts';
import { tronTransaction } from '../../src/tron/index.ts';
import { transaction } from './arbitrary-transaction.ts';
import { parse, sign, signer, vectors } from './support.ts';
import { contract, owner, type RawField, rawData, recipient, toHex } from './wire-builder.ts';

const me = vectors.signer.address;
/** The address of `recipient`. */
const to = base58check(sha256).encode(recipient);
const CHAIN = 'tron:0x2b6653dc';
const TRX = { id: `${CHAIN}/slip44:195`, kind: 'COIN', symbol: 'TRX', decimals: 6 };
const UNLIMITED = 2n ** 256n - 1n;

const oneOf = (type: bigint, name: string, ...fields: readonly RawField[]) => toHex(rawData([contract(type, name, fields)]));
const effectsOf = (unsigned: string, tokens?: TokenList) =>
  tronTransaction
    .parse(unsigned, { signer, interfaces: [], ...(tokens && { tokens }) })
    .effects.filter(({ kind }) => kind !== 'FEE');

const word = (hex: string) => hex.padStart(64, '0');
const number = (value: bigint) => word(value.toString(16));
const call = (data: string, ...more: readonly RawField[]) =>
  oneOf(31n, 'TriggerSmartContract', [1, owner], [2, recipient], [4, hexToBytes(data)], ...more);
const [spender, sender] = [word('33'.repeat(20)), word('44'.repeat(20))];
const textOf = (byte: string) => base58check(sha256).encode(hexToBytes(`41${byte.repeat(20)}`));
const [spenderText, senderText] = [textOf('33'), textOf('44')];

describe('transfers', () => {
  test('TRX', () => {
    expect(effectsOf(oneOf(1n, 'TransferContract', [1, owner], [2, recipient], [3, 5n]))).toEqual([
      { kind: 'TRANSFER', asset: TRX, from: me, to, amount: 5n },
    ]);
  });

  test('TRC-10 by number, and by a name that no longer says which token it is', () => {
    const named = (name: string) =>
      oneOf(2n, 'TransferAssetContract', [1, utf8ToBytes(name)], [2, owner], [3, recipient], [4, 7n]);
    expect(effectsOf(named('1002000'))).toEqual([
      { kind: 'TRANSFER', asset: { id: `${CHAIN}/trc10:1002000`, kind: 'TOKEN' }, from: me, to, amount: 7n },
    ]);
    expect(parse(named('1002000')).fullyParsed).toBe(true);
    expect(effectsOf(named('IPFS/x'))).toMatchObject([{ asset: { id: `${CHAIN}/trc10:unknown` } }]);
    expect(parse(named('IPFS/x')).unparsed).toEqual(['the TRC-10 token is not named by its number']);
  });
});

describe('calls of contracts', () => {
  const id = `${CHAIN}/trc20:${to}`;
  const usdt: TokenList = (asset) => (asset === id ? { symbol: 'USDT', decimals: 6 } : undefined);
  const listed = { id, kind: 'TOKEN', symbol: 'USDT', decimals: 6 };

  test.each([
    ['transfer', `a9059cbb${spender}${number(9n)}`, { kind: 'TRANSFER', from: me, to: spenderText, amount: 9n }],
    [
      'transferFrom',
      `23b872dd${sender}${spender}${number(9n)}`,
      { kind: 'TRANSFER', from: senderText, to: spenderText, amount: 9n },
    ],
    [
      'approve',
      `095ea7b3${spender}${number(9n)}`,
      { kind: 'ALLOWANCE', from: me, to: spenderText, amount: 9n, unlimited: false },
    ],
    [
      'approve without limit',
      `095ea7b3${spender}${number(UNLIMITED)}`,
      { kind: 'ALLOWANCE', from: me, to: spenderText, amount: UNLIMITED, unlimited: true },
    ],
    [
      'approve one less than without limit',
      `095ea7b3${spender}${number(UNLIMITED - 1n)}`,
      { kind: 'ALLOWANCE', from: me, to: spenderText, amount: UNLIMITED - 1n, unlimited: true },
    ],
    ['increaseApproval', `d73dd623${spender}${number(9n)}`, { kind: 'ALLOWANCE', from: me, to: spenderText, unlimited: false }],
    ['increaseAllowance', `39509351${spender}${number(9n)}`, { kind: 'ALLOWANCE', from: me, to: spenderText, unlimited: false }],
  ])('TRC-20 %s of a listed token, and of one that nobody vouches for', (_, data, effect) => {
    expect(effectsOf(call(data), usdt)).toEqual([{ asset: listed, ...effect }]);
    const read = tronTransaction.parse(call(data), { signer, interfaces: [], tokens: usdt });
    expect(read).toMatchObject({ fullyParsed: true, fullyParsedByInterfaces: false });
    expect(effectsOf(call(data))).toEqual([{ asset: { id, kind: 'TOKEN' }, ...effect }]);
    expect(parse(call(data)).unparsed).toEqual([`no token list names contract ${to}, so nobody vouches that it is a token`]);
  });

  test('what goes along with a call', () => {
    const paid = call('d0e30db0', [5, 12n], [6, 1_000_001n]);
    const sent = { kind: 'TRANSFER', from: me, to };
    expect(effectsOf(paid)).toEqual([
      { ...sent, asset: { id: `${CHAIN}/trc10:1000001`, kind: 'TOKEN' }, amount: 12n },
      { kind: 'UNKNOWN', what: 'unknown call 0xd0e30db0', to, bytes: 4 },
    ]);
    const bare = oneOf(31n, 'TriggerSmartContract', [1, owner], [2, recipient], [3, 25n]);
    expect(effectsOf(bare)).toEqual([
      { ...sent, asset: TRX, amount: 25n },
      { kind: 'CALL', what: 'the contract without data', to },
    ]);
  });

  test('a listed token with TRX along tells both', () => {
    const data = hexToBytes(`a9059cbb${spender}${number(9n)}`);
    const unsigned = oneOf(31n, 'TriggerSmartContract', [1, owner], [2, recipient], [3, 25n], [4, data]);
    expect(effectsOf(unsigned, usdt)).toMatchObject([
      { kind: 'TRANSFER', asset: TRX, amount: 25n, to },
      { kind: 'TRANSFER', asset: listed, amount: 9n, to: spenderText },
    ]);
  });
});

describe('D77: rights and accounts', () => {
  const permission = (...keys: readonly (readonly RawField[])[]): readonly RawField[] => [
    [3, utf8ToBytes('owner')],
    [4, 2n],
    ...keys.map((key) => [7, key] as const),
  ];
  const one: readonly RawField[] = [
    [1, recipient],
    [2, 2n],
  ];

  test('a permission of one key names it, one of several names them in words', () => {
    const update = (...keys: readonly (readonly RawField[])[]) =>
      oneOf(46n, 'AccountPermissionUpdateContract', [1, owner], [2, permission(...keys)]);
    expect(effectsOf(update(one))).toEqual([
      { kind: 'AUTHORITY', what: 'owner permission "owner" of threshold 2 goes to (weight 2)', from: me, to },
    ]);
    const [several] = effectsOf(update(one, [...one.slice(0, 1), [2, 1n]]));
    expect(several).toEqual({
      kind: 'AUTHORITY',
      what: `owner permission "owner" of threshold 2 goes to (weight 2) ${to}, (weight 1) ${to}`,
      from: me,
    });
    expect(effectsOf(update())).toMatchObject([{ what: 'owner permission "owner" of threshold 2 goes to nobody' }]);
  });

  test('resources that are lent go to another, what is only staked does not', () => {
    const lent = oneOf(57n, 'DelegateResourceContract', [1, owner], [2, 1n], [3, 2_000_000n], [4, recipient]);
    expect(effectsOf(lent)).toEqual([{ kind: 'AUTHORITY', what: 'lend the ENERGY of 2 TRX to', from: me, to }]);
    const staked = oneOf(54n, 'FreezeBalanceV2Contract', [1, owner], [2, 3_000_000n], [3, 1n]);
    expect(effectsOf(staked)).toEqual([{ kind: 'CALL', what: 'stake 3 TRX for ENERGY' }]);
    const old = oneOf(11n, 'FreezeBalanceContract', [1, owner], [2, 1_000_000n], [3, 3n], [15, recipient]);
    expect(effectsOf(old)).toMatchObject([{ kind: 'CALL' }, { kind: 'AUTHORITY', to }]);
  });

  test('a new account, of the kind that the protocol names, under a name of its own', () => {
    const created = oneOf(0n, 'AccountCreateContract', [1, owner], [2, recipient], [3, 2n]);
    expect(effectsOf(created)).toEqual([{ kind: 'CREATE', what: 'ACCOUNT', from: me, to }]);
    expect(parse(created)).toMatchObject({ fullyParsed: true, fullyParsedByInterfaces: false });
    expect(parse(created).policy.contract).toEqual([
      { type: 'AccountCreateContract', permission_id: 0n, owner_address: me, account_address: to, account_type: 'Contract' },
    ]);
  });

  test('a new contract costs what it starts with, and its code is not understood', () => {
    const code: readonly RawField[] = [
      [1, owner],
      [4, hexToBytes('600160')],
      [5, 8n],
    ];
    const read = parse(oneOf(30n, 'CreateSmartContract', [1, owner], [2, code], [3, 6n], [4, 1_000_001n]));
    expect(read.effects.slice(0, 3)).toEqual([
      { kind: 'CREATE', what: 'CONTRACT', from: me, asset: TRX, amount: 8n },
      { kind: 'TRANSFER', asset: { id: `${CHAIN}/trc10:1000001`, kind: 'TOKEN' }, from: me, amount: 6n },
      { kind: 'UNKNOWN', what: 'the code of the contract', bytes: 3 },
    ]);
    expect(read.fullyParsed).toBe(false);
  });

  test('a memo is told, quoted', () => {
    const fields = rawData();
    const withMemo = toHex([...fields.slice(0, 3), [10, utf8ToBytes('hi\u202e')], ...fields.slice(3)]);
    expect(effectsOf(withMemo)[1]).toEqual({ kind: 'CALL', what: 'memo "hi\\u{202e}"' });
  });
});

describe('D73: the highest fee of a Tron transaction', () => {
  const expected = new Map<string, (bandwidth: bigint, feeLimit: bigint) => bigint>([
    ['TransferContract', (bandwidth) => 1_000_000n + (bandwidth > 100_000n ? bandwidth : 100_000n)],
    ['TriggerSmartContract', (bandwidth, feeLimit) => bandwidth + feeLimit],
    ['DelegateResourceContract', (bandwidth) => bandwidth],
    ['AccountPermissionUpdateContract', (bandwidth) => bandwidth + 100_000_000n],
  ]);

  test('bandwidth for every byte of the signed transaction and 64 more, and the fixed prices', () => {
    fc.assert(
      fc.property(transaction, ({ bytes, name, header }) => {
        const parsed = parse(bytesToHex(bytes));
        const bandwidth = BigInt(sign(parsed).length / 2 + 64) * 1_000n;
        const memo = (header.data as Uint8Array).length === 0 ? 0n : 1_000_000n;
        const fee = (expected.get(name)?.(bandwidth, BigInt(header.fee_limit as string)) ?? 0n) + memo;
        expect(parsed.policy.max_fee).toBe(fee);
        expect(parsed.effects.at(-1)).toEqual({ kind: 'FEE', asset: TRX, amount: fee, from: me });
        expect(parsed.fullyParsed).toBe(parsed.unparsed.length === 0);
        if (parsed.effects.some(({ kind }) => kind === 'UNKNOWN')) expect(parsed.fullyParsed).toBe(false);
      }),
    );
  });

  test('a transfer of 267 bytes of bandwidth, as nodes count it', () => {
    const { unsignedTransaction } = vectors.transactions[0] as (typeof vectors.transactions)[number];
    expect(parse(unsignedTransaction)).toMatchObject({
      policy: { max_fee: 1_267_000n },
      description: 'send 1.5 TRX to TBbb6BNEpvAg5J8BbqXRbZwLiHNLZ1cYrV on Tron, network fee at most 1.267 TRX',
    });
  });

  test('a limit that burns the account is told', () => {
    const fields: readonly RawField[] = [
      ...rawData([
        contract(31n, 'TriggerSmartContract', [
          [1, owner],
          [2, recipient],
        ]),
      ]),
      [18, 15_000_000_000n],
    ];
    expect(parse(toHex(fields)).description).toMatch(/network fee at most 15,000\.\d+ TRX$/);
  });
});
