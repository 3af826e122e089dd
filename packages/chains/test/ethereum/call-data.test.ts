import { AbiFunction } from 'ox';
import { describe, expect, test } from 'vitest';
import type { ContractInterface } from '../../src/transaction.ts';
import { parse, rlp } from './support.ts';

const token = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const recipient = '08d2b0a37f869ff76bacb5bab3278e26ab7067b7';
const word = (hex: string) => hex.padStart(64, '0');
const number = (value: number) => word(value.toString(16));

const abi = AbiFunction.from;
const functions = {
  transfer: abi('function transfer(address dst, uint256 wad)'),
  executeBatch: abi('function executeBatch((address target, uint256 value, bytes data)[] calls)'),
  exactInput: abi('function exactInput((bytes path, address recipient, (uint256 amount, bool exact) limits) params, bytes32)'),
  flags: abi('function flags(bool a, uint8 b, int8 c, bytes4 d, string e)'),
  overloaded: abi('function transfer(address dst, uint256 wad, bytes data)'),
  lists: abi('function lists(uint256[] a, uint256[] b)'),
  nested: abi('function nested(uint256[][][][] a)'),
};
const stored = (address = token, ...entries: readonly object[]): ContractInterface => ({
  kind: 'ethereum',
  address,
  json: JSON.stringify(entries.length > 0 ? entries : Object.values(functions)),
});

/** The transaction that calls the token with this data, parsed against the interfaces. */
function call(data: string, ...interfaces: readonly ContractInterface[]) {
  const fields = ['01', '', '', '', 'ffff', token.slice(2).toLowerCase(), '', data, []];
  return parse(rlp(fields, 0x02), ...(interfaces.length > 0 ? interfaces : [stored()]));
}
const selector = (name: keyof typeof functions) => AbiFunction.getSelector(functions[name]).slice(2);
const encode = (name: keyof typeof functions, args: readonly unknown[]) =>
  AbiFunction.encodeData(functions[name] as never, args as never).slice(2);

function expectUndecoded(parsed: ReturnType<typeof call>, reason: string): void {
  expect(parsed.unparsed.join(' ')).toContain(reason);
  expect(parsed.fullyParsed).toBe(false);
  for (const field of ['function_name', 'function_signature', 'contract_call_args'])
    expect(parsed.policy).not.toHaveProperty(field);
  expect(parsed.fullyParsedByInterfaces).toBe(false);
}

const transferData = `a9059cbb${word(recipient)}${number(1_000)}`;

describe('call data against a stored interface', () => {
  test('a transfer', () => {
    const parsed = call(transferData);
    expect(parsed.policy).toMatchObject({
      function_name: 'transfer',
      function_signature: '0xa9059cbb',
      contract_call_args: new Map<string, unknown>([
        ['dst', `0x${recipient}`],
        ['wad', 1_000n],
      ]),
    });
    expect(parsed.fullyParsed).toBe(true);
    expect(parsed.description).toBe(
      'call transfer(dst: 0x08d2b0a37F869FF76BACB5Bab3278E26ab7067B7, wad: 1000) on 0x6B175474E89094C44Da98b954EedeAC495271d0F, ' +
        'send 1,000 base units of the token 0x6B175474E89094C44Da98b954EedeAC495271d0F to ' +
        '0x08d2b0a37F869FF76BACB5Bab3278E26ab7067B7 on Ethereum, network fee at most 0 ETH',
    );
  });

  test.each([token, token.toLowerCase(), `0x${token.slice(2).toUpperCase()}`])('the interface of %s is found', (address) => {
    expect(call(transferData, stored(address)).policy.function_name).toBe('transfer');
  });

  test('overloads are told apart by their selector', () => {
    const args = [`0x${recipient}`, 5n, '0x'];
    expect(call(encode('overloaded', args)).policy.contract_call_args).toEqual(
      new Map<string, unknown>([
        ['dst', `0x${recipient}`],
        ['wad', 5n],
        ['data', '0x'],
      ]),
    );
  });

  test('tuples inside of an array are lists by position, and their raw bytes are not claimed to be understood', () => {
    const calls = [
      { target: `0x${recipient}`, value: 1n, data: '0x' },
      { target: token.toLowerCase(), value: 0n, data: '0x1234' },
    ];
    const parsed = call(encode('executeBatch', [calls]));
    expect(parsed.policy.contract_call_args).toEqual(
      new Map([
        [
          'calls',
          [
            [`0x${recipient}`, 1n, '0x'],
            [token.toLowerCase(), 0n, '0x1234'],
          ],
        ],
      ]),
    );
    expect(parsed.unparsed).toEqual(['The argument calls holds raw bytes. What they mean to the contract was not decoded.']);
  });

  test('D42: without raw bytes inside, the same call is fully parsed', () => {
    const parsed = call(encode('executeBatch', [[{ target: `0x${recipient}`, value: 1n, data: '0x' }]]));
    expect(parsed.fullyParsed).toBe(true);
    expect(parsed.description).toContain('calls: [[0x08d2b0a37F869FF76BACB5Bab3278E26ab7067B7, 1, 0x]]');
  });

  test('a tuple argument is a map by name, and an argument without a name is found by position', () => {
    const params = { path: '0xabcd', recipient: `0x${recipient}`, limits: { amount: 7n, exact: true } };
    const parsed = call(encode('exactInput', [params, `0x${'11'.repeat(32)}`]));
    expect(parsed.policy.contract_call_args).toEqual(
      new Map<string, unknown>([
        [
          'params',
          new Map<string, unknown>([
            ['path', '0xabcd'],
            ['recipient', `0x${recipient}`],
            [
              'limits',
              new Map<string, unknown>([
                ['amount', 7n],
                ['exact', true],
              ]),
            ],
          ]),
        ],
        ['1', `0x${'11'.repeat(32)}`],
      ]),
    );
    expect(parsed.unparsed).toEqual(['The argument params holds raw bytes. What they mean to the contract was not decoded.']);
  });

  test('small and signed values, fixed bytes and text', () => {
    const parsed = call(encode('flags', [true, 255, -128, '0x01020304', 'naïve \u202e "quoted"\n']));
    expect(parsed.policy.contract_call_args).toEqual(
      new Map<string, unknown>([
        ['a', true],
        ['b', 255n],
        ['c', -128n],
        ['d', '0x01020304'],
        ['e', 'naïve \u202e "quoted"\n'],
      ]),
    );
    expect(parsed.description).toContain('e: "naïve \\u{202e} \\u{22}quoted\\u{22}\\u{a}"');
  });

  test('two interfaces that agree decode, two that disagree do not', () => {
    const other = stored(token, AbiFunction.from('function transfer(address to, uint256 amount)'));
    expect(call(transferData, stored(), stored()).policy.function_name).toBe('transfer');
    expectUndecoded(call(transferData, stored(), other), 'disagree about the function with the selector 0xa9059cbb');
  });
});

describe('call data that is not decoded', () => {
  test('D40: the interface of another address', () => {
    expectUndecoded(
      call(transferData, stored(`0x${recipient}`)),
      'No token list names 0x6B175474E89094C44Da98b954EedeAC495271d0F, so nobody vouches that it is a token',
    );
  });

  test('an interface for another kind of chain or with a malformed address', () => {
    expectUndecoded(call(transferData, { ...stored(), kind: 'solana' }), 'nobody vouches');
    expectUndecoded(call(transferData, stored('0x1234')), 'nobody vouches');
  });

  test('a stored interface that is broken', () => {
    expectUndecoded(call(transferData, { ...stored(), json: '{' }), 'does not fit the interface stored');
  });

  const head = word(recipient);
  test.each([
    ['D40: less than a selector', 'a9059c', 'shorter than a function selector'],
    ['D40: an unknown selector', `ffffffff${head}`, 'has no function with the selector 0xffffffff'],
    ['D40: too short', transferData.slice(0, -2), 'too short for the arguments'],
    ['D40: no arguments at all', 'a9059cbb', 'too short for the arguments'],
    ['D40: trailing bytes', `${transferData}00`, '1 bytes follow the arguments'],
    ['D40: a trailing word', `${transferData}${number(0)}`, '32 bytes follow the arguments'],
    [
      'D40: dirty bytes above an address',
      `a9059cbb${'01'.padEnd(24, '0')}${recipient}${number(1)}`,
      'an address has more than 20 bytes',
    ],
    [
      'D40: a bool of 2',
      `${selector('flags')}${number(2)}${number(0).repeat(3)}${number(160)}${number(0)}`,
      'a bool is neither 0 nor 1',
    ],
    [
      'D40: a uint8 of 256',
      `${selector('flags')}${number(0)}${number(256)}${number(0).repeat(2)}${number(160)}${number(0)}`,
      'does not fit into uint8',
    ],
    [
      'D40: an int8 of 128',
      `${selector('flags')}${number(0).repeat(2)}${number(128)}${number(0)}${number(160)}${number(0)}`,
      'does not fit into int8',
    ],
    [
      'D40: dirty bytes after bytes4',
      `${selector('flags')}${number(0).repeat(3)}${number(1)}${number(160)}${number(0)}`,
      'the padding of fixed bytes',
    ],
    [
      'D40: dirty padding of a string',
      `${selector('flags')}${number(0).repeat(4)}${number(160)}${number(1)}${'61'.padEnd(62, '0')}01`,
      'the padding of bytes is not zero',
    ],
    [
      'D40: a string that is not UTF-8',
      `${selector('flags')}${number(0).repeat(4)}${number(160)}${number(1)}${'ff'.padEnd(64, '0')}`,
      'not valid UTF-8',
    ],
    [
      'D40: two arguments that share their data',
      `${selector('lists')}${number(64)}${number(64)}${number(1)}${number(7)}`,
      'an offset does not point to the next part',
    ],
    [
      'D40: a backward offset',
      `${selector('lists')}${number(64)}${number(0)}${number(0)}`,
      'an offset does not point to the next part',
    ],
    [
      'D40: a gap before the data',
      `${selector('lists')}${number(96)}${number(128)}${number(0).repeat(3)}`,
      'an offset does not point to the next part',
    ],
    [
      'D40: tails in another order',
      `${selector('lists')}${number(96)}${number(64)}${number(0).repeat(2)}`,
      'an offset does not point to the next part',
    ],
    [
      'D41: an offset of 2^255',
      `${selector('lists')}80${'00'.repeat(31)}${number(64)}${number(0)}`,
      'an offset does not point to the next part',
    ],
    ['D41: a length of 2^255', `${selector('lists')}${number(64)}${number(96)}80${'00'.repeat(31)}${number(0)}`, 'too short'],
    ['D41: a length of 2^32 - 1', `${selector('lists')}${number(64)}${number(96)}${word('ffffffff')}${number(0)}`, 'too short'],
    [
      'D41: a length that just does not fit',
      `${selector('lists')}${number(64)}${number(96)}${number(2)}${number(0)}`,
      'too short',
    ],
  ])('%s', (_, data, reason) => {
    expectUndecoded(call(data), reason);
  });

  test('D41: arrays that all point to themselves or to one shared part end at once', () => {
    const bomb = `${selector('nested')}${number(32)}${number(32)}${number(0x20).repeat(4_000)}`;
    const started = performance.now();
    expectUndecoded(call(bomb), 'does not fit the interface');
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
