import { describe, expect, test } from 'vitest';
import { defaultTokens } from '../../../src/effects/default-tokens.ts';
import { effectView } from '../../../src/effects/effect-view.ts';
import { parseDescriptor, parseTypedData } from '../../../src/ethereum/index.ts';
import type { ContractInterface } from '../../../src/transaction.ts';
import { refusal, signer } from '../support.ts';
import { effectsOf, encode, friend, self, send, stored, stranger, usdc } from './support.ts';

/** Aave v3 Pool and Lido on Ethereum. */
const aave = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2';
const lido = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84';

const supply = 'supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)';
const borrow = 'borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)';
const aaveDescriptor = {
  $schema: '../../specs/erc7730-v1.schema.json',
  context: { contract: { deployments: [{ chainId: 1, address: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2' }] } },
  metadata: { owner: 'Aave DAO', enums: { rates: { '1': 'stable', '2': 'variable' } } },
  display: {
    formats: {
      [supply]: {
        intent: 'Supply',
        fields: [
          { path: 'amount', label: 'Amount to supply', format: 'tokenAmount', params: { tokenPath: 'asset' } },
          { path: '#.onBehalfOf', label: 'Collateral recipient', format: 'addressName' },
        ],
        required: ['amount'],
      },
      [borrow]: {
        intent: 'Borrow',
        fields: [
          { path: 'amount', label: 'Amount', format: 'tokenAmount', params: { tokenPath: 'asset' } },
          { path: 'interestRateMode', label: 'Rate', format: 'enum', params: { $ref: '$.metadata.enums.rates' } },
        ],
      },
    },
  },
};
const lidoDescriptor = {
  context: {
    contract: {
      deployments: [{ chainId: 1, address: lido }],
      abi: [{ type: 'function', name: 'submit', inputs: [{ name: '_referral', type: 'address' }] }],
    },
  },
  metadata: {},
  display: {
    definitions: { paid: { label: 'Amount to stake', format: 'amount' } },
    formats: { '0xa1903eab': { intent: 'Stake ETH', fields: [{ path: '@.value', $ref: '$.display.definitions.paid' }] } },
  },
};
const descriptor = (address: string, json: unknown): ContractInterface => ({
  kind: 'erc7730',
  address,
  json: JSON.stringify(json),
});
const supplyCall = (onBehalfOf: string) => encode(`function ${supply}`, [usdc, 1_000_000_000n, onBehalfOf, 0]);

describe('a call in the words of a descriptor', () => {
  test('Aave: supply', () => {
    const parsed = send({ to: aave, data: supplyCall(self) }, { interfaces: [descriptor(aave, aaveDescriptor)] });
    expect(effectsOf(parsed)).toEqual([
      {
        kind: 'UNKNOWN',
        what: 'unknown call',
        words:
          '"Supply", supply("Amount to supply": 1,000 USDC, "Collateral recipient": 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F, ' +
          'asset: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, referralCode: 0)',
        to: aave,
        bytes: 132,
      },
    ]);
    expect(parsed.description).toMatch(
      /^unknown call on 0x87870\w+, which a stored descriptor shows as "Supply", .*, 132 bytes not understood/,
    );
    expect(parsed).toMatchObject({ fullyParsed: false, fullyParsedByInterfaces: false });
    expect(parsed.policy).not.toHaveProperty('function_name');
  });

  test('an enum keeps its number', () => {
    const data = encode(`function ${borrow}`, [usdc, 5n, 2n, 0, self]);
    const parsed = send({ to: aave, data }, { interfaces: [descriptor(aave, aaveDescriptor)] });
    expect(parsed.description).toContain('"Rate": "variable" (2)');
  });

  test('Lido: submit, with the value of the transaction and an ABI', () => {
    const data = encode('function submit(address _referral)', [friend]);
    const parsed = send({ to: lido, value: 10n ** 18n, data }, { interfaces: [descriptor(lido, lidoDescriptor)] });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'TRANSFER', amount: 10n ** 18n, to: lido },
      {
        kind: 'UNKNOWN',
        words: '"Stake ETH", submit("Amount to stake": 1 ETH, _referral: 0x3535353535353535353535353535353535353535)',
      },
    ]);
  });

  test('D72: a descriptor cannot leave out an argument', () => {
    const silent = structuredClone(aaveDescriptor) as typeof aaveDescriptor;
    silent.display.formats[supply] = { intent: 'Claim reward', fields: [], required: [] };
    const parsed = send({ to: aave, data: supplyCall(stranger) }, { interfaces: [descriptor(aave, silent)] });
    expect(parsed.description).toContain('amount: 1000000000, onBehalfOf: 0x6666666666666666666666666666666666666666');
  });

  test('D72: a descriptor cannot hide what a standard says', () => {
    const approve = 'approve(address spender, uint256 value)';
    const lie = {
      context: { contract: { deployments: [{ chainId: 1, address: stranger }] } },
      metadata: {},
      display: { formats: { [approve]: { intent: 'Claim reward', fields: [] } } },
    };
    const data = encode(`function ${approve}`, [friend, 2n ** 256n - 1n]);
    const parsed = send({ to: stranger, data }, { interfaces: [descriptor(stranger, lie)] });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'ALLOWANCE', to: friend, unlimited: true },
      { kind: 'CALL', what: expect.stringContaining('if the contract is a collection') },
    ]);
    const listed = { ...lie, context: { contract: { deployments: [{ chainId: 1, address: usdc }] } } };
    expect(effectsOf(send({ to: usdc, data }, { interfaces: [descriptor(usdc, listed)] }))).toMatchObject([
      { kind: 'ALLOWANCE', unlimited: true },
    ]);
  });

  test('D72: its words cannot break out of their quotes', () => {
    const crafted = structuredClone(aaveDescriptor) as typeof aaveDescriptor;
    crafted.display.formats[supply].intent = 'Supply", send 0 ETH to 0x00 \u202e';
    const { description } = send({ to: aave, data: supplyCall(self) }, { interfaces: [descriptor(aave, crafted)] });
    expect(description).toContain('"Supply\\u{22}, send 0 ETH to 0x00 \\u{202e}"');
  });

  test.each([
    ['another chain', { chainId: 10 }, aave],
    ['another contract', {}, stranger],
  ])('a descriptor for %s does not apply', (_, sent, address) => {
    const interfaces = [descriptor(address, aaveDescriptor)];
    const parsed = send({ to: aave, data: supplyCall(self), ...sent }, { interfaces });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN' }]);
  });

  test('data that is not exactly the function is unknown', () => {
    const parsed = send({ to: aave, data: `${supplyCall(self)}00` }, { interfaces: [descriptor(aave, aaveDescriptor)] });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN' }]);
  });

  test('two descriptors for one function, or a broken one, count as none', () => {
    const twice = [descriptor(aave, aaveDescriptor), descriptor(aave, aaveDescriptor)];
    expect(effectsOf(send({ to: aave, data: supplyCall(self) }, { interfaces: twice }))).toMatchObject([{ kind: 'UNKNOWN' }]);
    const broken = { ...descriptor(aave, aaveDescriptor), json: '{' };
    expect(effectsOf(send({ to: aave, data: supplyCall(self) }, { interfaces: [broken] }))).toMatchObject([{ kind: 'UNKNOWN' }]);
  });

  test('D42: raw bytes in an argument stay not understood', () => {
    const run = 'run(address target, bytes payload)';
    const json = {
      context: { contract: { deployments: [{ chainId: 1, address: stranger }] } },
      metadata: {},
      display: { formats: { [run]: { intent: 'Run', fields: [{ path: 'payload', label: 'What', format: 'calldata' }] } } },
    };
    const data = encode(`function ${run}`, [friend, '0x123456']);
    const parsed = send({ to: stranger, data }, { interfaces: [descriptor(stranger, json)] });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'UNKNOWN', words: expect.stringContaining('"What": 0x123456'), bytes: 132 },
    ]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('formats and paths of the standard', () => {
    const signature =
      'many(uint256 when, uint256 ratio, uint256 wait, address[] route, (address token, uint256 amount)[] parts, uint256 odd)';
    const json = {
      context: { contract: { deployments: [{ chainId: 1, address: stranger }] } },
      metadata: {},
      display: {
        formats: {
          [signature]: {
            intent: { Do: 'many', Things: 'at once' },
            fields: [
              { path: 'when', label: 'When', format: 'date', params: { encoding: 'timestamp' } },
              { path: 'ratio', label: 'Ratio', format: 'unit', params: { base: '%', decimals: 2 } },
              { path: 'wait', label: 'Wait', format: 'duration' },
              { path: 'route.[-1]', label: 'Last', format: 'addressName' },
              {
                path: 'parts',
                fields: [
                  { path: '[].amount', label: 'Amounts', format: 'tokenAmount', params: { tokenPath: 'parts.[0].token' } },
                ],
              },
              { path: 'odd.[0:4]', label: 'Slice', format: 'raw' },
              { path: 'odd', label: 'Odd', format: 'a format of the future' },
            ],
          },
        },
      },
    };
    const parts = [
      { token: usdc, amount: 1_000_000n },
      { token: usdc, amount: 2_500_000n },
    ];
    const data = encode(`function ${signature}`, [1_800_000_000n, 1234n, 60n, [friend, stranger], parts, 7n]);
    const { description } = send({ to: stranger, data }, { interfaces: [descriptor(stranger, json)] });
    expect(description).toContain(
      '"many at once", many("When": 2027-01-15 08:00, "Ratio": 12.34 "%", "Wait": 60 seconds, "Last": 0x6666666666666666666666666666666666666666, ' +
        '"Amounts": 1 USDC, 2.5 USDC, "Odd": 7, route.0: 0x3535353535353535353535353535353535353535, ' +
        'parts.0.token: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, parts.1.token: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48)',
    );
  });
});

describe('D461: a descriptor changes words and nothing else', () => {
  const approve = encode('function approve(address spender, uint256 value)', [friend, 5n]);
  const transfer = encode('function transfer(address to, uint256 value)', [friend, 5n]);
  const own = { context: { contract: { deployments: [{ chainId: 1, address: stranger }] } }, metadata: {} };
  const words = {
    ...own,
    display: {
      formats: {
        'approve(address spender, uint256 value)': { intent: 'Claim', fields: [] },
        'transfer(address to, uint256 value)': { intent: 'Claim', fields: [] },
        'run(uint256 amount)': { intent: 'Claim', fields: [] },
      },
    },
  };
  const run = encode('function run(uint256 amount)', [7n]);
  const abi = stored(stranger, 'function run(uint256 amount)');

  test.each([
    ['a call that nothing explains', run, []],
    ['a call that a stored ABI explains', run, [abi]],
    ['a transfer of a token that no list names', transfer, []],
    ['an approval of a token that no list names', approve, []],
  ] as const)('policies see the same of %s', (_, data, interfaces) => {
    const plain = send({ to: stranger, data }, { interfaces });
    const described = send({ to: stranger, data }, { interfaces: [...interfaces, descriptor(stranger, words)] });
    expect(described.effects.map(effectView)).toEqual(plain.effects.map(effectView));
    expect(described.policy).toEqual(plain.policy);
    expect([described.fullyParsed, described.fullyParsedByInterfaces]).toEqual([
      plain.fullyParsed,
      plain.fullyParsedByInterfaces,
    ]);
    expect(described.unparsed).toEqual(plain.unparsed);
  });

  test('a stored ABI still makes its calls understood, and people read the words of the descriptor', () => {
    const parsed = send({ to: stranger, data: run }, { interfaces: [abi, descriptor(stranger, words)] });
    expect(parsed).toMatchObject({ fullyParsed: true, fullyParsedByInterfaces: true });
    expect(parsed.description).toContain('call "Claim", run(amount: 7) on 0x6666');
  });

  test('past decisions read a descriptor by the rules of their time', () => {
    const interfaces = [descriptor(stranger, words)];
    expect(send({ to: stranger, data: run }, { interfaces, descriptorsVouch: true })).toMatchObject({
      fullyParsed: true,
      effects: [{ kind: 'CALL', what: '"Claim", run(amount: 7)' }, { kind: 'FEE' }],
    });
  });
});

describe('a message in the words of a descriptor', () => {
  const types = {
    Order: [
      { name: 'maker', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  };
  const text = JSON.stringify({
    types,
    primaryType: 'Order',
    domain: { chainId: 1, verifyingContract: stranger },
    message: { maker: self, amount: 5 },
  });
  const format = { intent: 'Place order', fields: [{ path: 'amount', label: 'Amount', format: 'raw' }] };
  const eip712 = (context: object, key: string) => ({
    context: { eip712: { deployments: [{ chainId: 1, address: stranger }], ...context } },
    metadata: {},
    display: { formats: { [key]: format } },
  });
  const parse = (json: unknown) =>
    parseTypedData(text, { signer, interfaces: [descriptor(stranger, json)], tokens: defaultTokens });

  test.each([
    ['its whole type', eip712({}, 'Order(address maker,uint256 amount)')],
    ['its primary type and a schema', eip712({ schemas: [{ primaryType: 'Order', types }] }, 'Order')],
  ])('found by %s', (_, json) => {
    const message = parse(json);
    expect(message.effects).toEqual([
      {
        kind: 'CALL',
        what: 'by signature Order(maker: 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F, amount: 5)',
        words: 'by signature "Place order", Order("Amount": 5, maker: 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F)',
        to: stranger,
      },
    ]);
    expect(message.description).toContain('call by signature "Place order", Order("Amount": 5');
    expect(message.fullyParsed).toBe(false);
  });

  test('D42: bytes in a message stay not understood', () => {
    const withBytes = { Order: [...types.Order, { name: 'call', type: 'bytes' }] };
    const { message, ...rest } = JSON.parse(text);
    const signed = JSON.stringify({ ...rest, types: withBytes, message: { ...message, call: '0x1234' } });
    const interfaces = [descriptor(stranger, eip712({}, 'Order(address maker,uint256 amount,bytes call)'))];
    const parsed = parseTypedData(signed, { signer, interfaces });
    expect(parsed.effects).toMatchObject([{ kind: 'CALL', what: expect.stringContaining('call: 0x1234') }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D69: a descriptor of another type with the same name does not apply', () => {
    expect(parse(eip712({}, 'Order(address maker,uint128 amount)')).fullyParsed).toBe(false);
  });
});

describe('descriptors that are refused', () => {
  const { context } = aaveDescriptor;
  const display = { formats: {} };
  test.each<[string, unknown, string]>([
    ['a list', [], 'a descriptor must be an object'],
    ['one that includes another', { ...aaveDescriptor, includes: 'common.json' }, 'must be sent as one file'],
    ['no context', { display }, 'context of a descriptor must be an object'],
    ['two contexts', { context: { ...context, eip712: {} }, display }, 'either a contract or eip712'],
    ['no deployments', { context: { contract: {} }, display }, 'deployments must be a list'],
    [
      'a bad address',
      { context: { contract: { deployments: [{ chainId: 1, address: '0x12' }] } }, display },
      'an Ethereum address',
    ],
    [
      'a selector without parameters',
      { context, display: { formats: { '0x12345678': { fields: [] } } } },
      'no parameters for 0x12345678',
    ],
    ['a malformed function', { context, display: { formats: { 'f(uint256': { fields: [] } } } }, 'a function is written'],
    ['an unknown type', { context, display: { formats: { 'f(number a)': { fields: [] } } } }, 'is not supported'],
    [
      'a reference to nothing',
      { context, display: { formats: { 'f()': { fields: [{ path: 'a', $ref: '$.x' }] } } } },
      'nothing at $.x',
    ],
    ['a field without a path', { context, display: { formats: { 'f()': { fields: [{ label: 'a' }] } } } }, 'has no path'],
    [
      'two formats for one function',
      { context, display: { formats: { 'f(uint256 a)': { fields: [] }, 'f(uint256 b)': { fields: [] } } } },
      'two formats for',
    ],
    [
      'a message without its schema',
      { context: { eip712: { deployments: [] } }, display: { formats: { Order: { fields: [] } } } },
      'no schema for Order',
    ],
  ])('%s', (_, json, reason) => {
    expect(refusal(() => parseDescriptor(JSON.stringify(json)))).toContain(reason);
  });

  test('D41: one of more than 400,000 characters', () => {
    expect(refusal(() => parseDescriptor(`"${'x'.repeat(400_001)}"`))).toContain('INVALID_INTERFACE');
  });
});
