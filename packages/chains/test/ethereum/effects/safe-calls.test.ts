import { describe, expect, test } from 'vitest';
import { toChecksumAddress } from '../../../src/ethereum/index.ts';
import { dai, effectsOf, encode, ether, friend, self, send, stored, stranger, usdc, usdcAsset } from './support.ts';

const safe = `0x${'5a'.repeat(20)}`;
const multiSend = '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761';
const nobody = `0x${'00'.repeat(20)}`;
const exec =
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)';
const transfer = encode('function transfer(address to, uint256 value)', [friend, 5n]);

interface Told {
  readonly to: string;
  readonly value?: bigint;
  readonly data?: string;
  readonly operation?: number;
  readonly gasPrice?: bigint;
  readonly gasToken?: string;
}

const execute = ({ to, value = 0n, data = '0x', operation = 0, gasPrice = 0n, gasToken = nobody }: Told) =>
  encode(exec, [to, value, data, operation, 0n, 0n, gasPrice, gasToken, nobody, `0x${'11'.repeat(65)}`]);
const tell = (told: Told, interfaces = [stored(safe, exec)]) => send({ to: safe, data: execute(told) }, { interfaces });

/** Packed by hand: operation, to, value, length, data. */
const packed = (...steps: readonly { operation?: number; to: string; value?: bigint; data?: string }[]): `0x${string}` =>
  `0x${steps
    .map(({ operation = 0, to, value = 0n, data = '0x' }) =>
      [
        operation.toString(16).padStart(2, '0'),
        to.slice(2),
        value.toString(16).padStart(64, '0'),
        ((data.length - 2) / 2).toString(16).padStart(64, '0'),
        data.slice(2),
      ].join(''),
    )
    .join('')}`;
const batch = (transactions: `0x${string}`) => encode('function multiSend(bytes transactions)', [transactions]);

describe('D42: execTransaction is opened', () => {
  test('a transfer of the Safe’s tokens', () => {
    const parsed = tell({ to: usdc, data: transfer });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'CALL', to: safe },
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: safe, to: friend },
    ]);
    expect(parsed).toMatchObject({ fullyParsed: true, fullyParsedByInterfaces: false });
  });

  test('coins of the Safe', () => {
    expect(effectsOf(tell({ to: friend, value: 9n }))).toMatchObject([
      { kind: 'CALL' },
      { kind: 'TRANSFER', asset: ether, amount: 9n, from: safe, to: friend },
    ]);
  });

  test('without a stored interface nobody vouches that it is a Safe', () => {
    const parsed = tell({ to: usdc, data: transfer }, []);
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'TRANSFER', from: safe }]);
    expect(parsed.unparsed).toEqual([
      `No interface is stored for ${toChecksumAddress(safe)}, so nobody vouches that it is a Safe.`,
    ]);
  });

  test('an inner call that is unknown makes the whole unknown', () => {
    const parsed = tell({ to: stranger, data: '0x12345678' });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'CALL' }, { kind: 'UNKNOWN', to: stranger, bytes: 4 }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D71: a delegatecall is authority for foreign code, whatever its data looks like', () => {
    for (const data of ['0x', transfer, batch(packed({ to: usdc, data: transfer }))]) {
      const parsed = tell({ to: stranger, data, operation: 1 });
      expect(effectsOf(parsed)).toMatchObject([
        { kind: 'CALL' },
        { kind: 'AUTHORITY', from: safe, to: stranger },
        { kind: 'UNKNOWN', to: stranger },
      ]);
      expect(parsed.fullyParsed).toBe(false);
    }
  });

  test('D71: an operation that does not exist is not taken for a call', () => {
    expect(tell({ to: usdc, data: transfer, operation: 2 }).fullyParsed).toBe(false);
  });

  test('a refund of gas is shown', () => {
    const parsed = tell({ to: friend, value: 1n, gasPrice: 7n, gasToken: usdc });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'CALL' },
      { kind: 'TRANSFER', asset: usdcAsset, from: safe },
      { kind: 'TRANSFER' },
    ]);
    expect(parsed.fullyParsed).toBe(false);
  });
});

describe('a batch', () => {
  test('of the known MultiSend is opened', () => {
    const transactions = packed({ to: usdc, data: transfer }, { to: friend, value: 4n }, { to: dai, data: transfer });
    const parsed = tell({ to: multiSend, data: batch(transactions), operation: 1 });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'CALL' },
      { kind: 'TRANSFER', asset: usdcAsset, from: safe },
      { kind: 'TRANSFER', asset: ether, amount: 4n, from: safe, to: friend },
      { kind: 'TRANSFER', asset: { symbol: 'DAI' } },
    ]);
    expect(parsed.fullyParsed).toBe(true);
  });

  test('D71: a delegatecall inside is authority for foreign code', () => {
    const transactions = packed({ to: usdc, data: transfer }, { to: stranger, operation: 1 });
    const parsed = tell({ to: multiSend, data: batch(transactions), operation: 1 });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'CALL' },
      { kind: 'TRANSFER' },
      { kind: 'AUTHORITY', to: stranger },
      { kind: 'UNKNOWN' },
    ]);
  });

  test.each([
    ['cut short', packed({ to: usdc, data: transfer }).slice(0, -2)],
    ['with bytes after its last step', `${packed({ to: usdc, data: transfer })}00`],
    ['with a length beyond its end', packed({ to: usdc }).replace(/0{64}$/, `80${'00'.repeat(31)}`)],
    ['with an unknown operation', packed({ to: usdc, operation: 2 })],
  ])('D71: %s is opened not at all', (_, transactions) => {
    const parsed = tell({ to: multiSend, data: batch(transactions as `0x${string}`), operation: 1 });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'CALL' }, { kind: 'AUTHORITY', to: multiSend }, { kind: 'UNKNOWN' }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D71: the zero address inside may mean the Safe itself', () => {
    const parsed = tell({ to: multiSend, data: batch(packed({ to: nobody, data: '0x1234' })), operation: 1 });
    expect(parsed.fullyParsed).toBe(false);
  });

  test('a plain call of MultiSend is not a batch of the Safe', () => {
    const parsed = tell({ to: multiSend, data: batch(packed({ to: usdc, data: transfer })) });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'CALL' }, { kind: 'UNKNOWN', to: multiSend }]);
  });
});

describe('who controls a Safe', () => {
  test.each<[string, string, readonly unknown[], object]>([
    [
      'addOwnerWithThreshold',
      'address owner, uint256 threshold',
      [stranger, 2n],
      { to: stranger, what: expect.stringContaining('2 signatures') },
    ],
    ['swapOwner', 'address prevOwner, address oldOwner, address newOwner', [nobody, friend, stranger], { to: stranger }],
    [
      'removeOwner',
      'address prevOwner, address owner, uint256 threshold',
      [nobody, friend, 1n],
      { what: expect.stringContaining('0x3535') },
    ],
    ['changeThreshold', 'uint256 threshold', [1n], { what: expect.stringContaining('1 signatures') }],
    ['enableModule', 'address module', [stranger], { to: stranger, what: expect.stringContaining('without any signature') }],
    ['setGuard', 'address guard', [stranger], { to: stranger }],
    ['setGuard', 'address guard', [nobody], { what: expect.stringContaining('no guard') }],
  ])('%s is told as a change of control', (name, parameters, args, effect) => {
    const data = encode(`function ${name}(${parameters})`, args);
    const parsed = tell({ to: safe, data });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'CALL' }, { kind: 'AUTHORITY', from: safe, ...effect }]);
    expect(parsed.fullyParsed).toBe(true);
    expect(parsed.description).toContain('CHANGE WHO CONTROLS');
    // Sent by anybody else than the Safe the call does nothing, but a contract that only looks like a Safe may obey.
    const direct = send({ to: safe, data });
    expect(effectsOf(direct)).toMatchObject([{ kind: 'AUTHORITY', from: safe }]);
    expect(direct.fullyParsed).toBe(false);
  });

  test('D71: an account that calls itself is not for that reason a Safe', () => {
    const parsed = send({ to: self, data: encode('function changeThreshold(uint256 threshold)', [1n]) });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'AUTHORITY', from: self }]);
    expect(parsed.fullyParsed).toBe(false);
  });
});
