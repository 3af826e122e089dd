import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { parseTypedData } from '../../src/ethereum/index.ts';
import { contextWith, refusal } from './support.ts';

const domainType = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];
const domain = { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' };
/** The example of EIP-712. */
const mail = {
  types: {
    EIP712Domain: domainType,
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain,
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};
const parse = (data: unknown) => parseTypedData(JSON.stringify(data), contextWith());
const digest = (data: unknown) => bytesToHex(parse(data).digest);

/** Typed data with one member `v` of the given type. */
const single = (type: string, v: unknown, types: Record<string, unknown> = {}) => ({
  types: { EIP712Domain: domainType, T: [{ name: 'v', type }], ...types },
  primaryType: 'T',
  domain,
  message: { v },
});

describe('the example of EIP-712', () => {
  test('has the digest of the standard', () => {
    expect(digest(mail)).toBe('be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
  });

  test('is what policies see', () => {
    expect(parse(mail)).toMatchObject({
      namespace: 'eth.eip_712',
      policy: {
        primary_type: 'Mail',
        domain: {
          name: 'Ether Mail',
          version: '1',
          chain_id: 1n,
          verifying_contract: '0xcccccccccccccccccccccccccccccccccccccccc',
        },
        message: new Map<string, unknown>([
          [
            'from',
            new Map([
              ['name', 'Cow'],
              ['wallet', '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'],
            ]),
          ],
          [
            'to',
            new Map([
              ['name', 'Bob'],
              ['wallet', '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'],
            ]),
          ],
          ['contents', 'Hello, Bob!'],
        ]),
      },
    });
  });

  test('is described in one sentence', () => {
    expect(parse(mail).description).toBe(
      'call by signature Mail(from: {name: "Cow", wallet: 0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826}, ' +
        'to: {name: "Bob", wallet: 0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB}, contents: "Hello, Bob!") ' +
        'for "Ether Mail" on 0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC on Ethereum',
    );
  });

  test('has the same digest when the type of the domain is left to be derived', () => {
    const { EIP712Domain: _, ...types } = mail.types;
    expect(digest({ ...mail, types })).toBe(digest(mail));
  });

  test('has the same digest however its numbers and addresses are spelled', () => {
    const spelled = { ...domain, chainId: '0x01', verifyingContract: domain.verifyingContract.toLowerCase() };
    expect(digest({ ...mail, domain: spelled })).toBe(digest(mail));
    expect(digest({ ...mail, domain: { ...domain, chainId: '1' } })).toBe(digest(mail));
  });
});

describe('arrays and recursion', () => {
  test('arrays of structs and of addresses, as wallets sign them (version 4)', () => {
    const data = {
      types: {
        EIP712Domain: domainType,
        Person: [
          { name: 'name', type: 'string' },
          { name: 'wallets', type: 'address[]' },
        ],
        Mail: [
          { name: 'from', type: 'Person' },
          { name: 'to', type: 'Person[]' },
          { name: 'contents', type: 'string' },
        ],
      },
      primaryType: 'Mail',
      domain,
      message: {
        from: {
          name: 'Cow',
          wallets: ['0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', '0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF'],
        },
        to: [
          {
            name: 'Bob',
            wallets: [
              '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
              '0xB0BdaBea57B0BDABeA57b0bdABEA57b0BDabEa57',
              '0xB0B0b0b0b0b0B000000000000000000000000000',
            ],
          },
        ],
        contents: 'Hello, Bob!',
      },
    };
    expect(digest(data)).toBe('a85c2e2b118698e88db68a8105b794a8cc7cec074e89ef991cb4f5f533819cc2');
    const message = parse(data).policy.message as Map<string, readonly Map<string, unknown>[]>;
    expect(message.get('to')?.[0]?.get('name')).toBe('Bob');
  });

  test('a type that refers to itself through an array is read', () => {
    const tree = { Node: [{ name: 'children', type: 'Node[]' }] };
    const view = parse(single('Node', { children: [{ children: [] }, { children: [] }] }, tree)).policy.message;
    expect(view).toEqual(new Map([['v', new Map([['children', [new Map([['children', []]]), new Map([['children', []]])]]])]]));
  });

  test('a type that holds itself can have no value, and is refused without end of the stack', () => {
    const cyclic = { A: [{ name: 'b', type: 'B' }], B: [{ name: 'a', type: 'A' }] };
    expect(refusal(() => parse(single('A', { b: { a: {} } }, cyclic)))).toContain('message.v.b.a.b is missing');
    expect(refusal(() => parse(single('A', { b: null }, cyclic)))).toContain('message.v.b must be an object of the type B');
  });

  test('D13: many types that all refer to each other are hashed in bounded time', () => {
    const names = Array.from({ length: 98 }, (_, index) => `T${index}x${'y'.repeat(100)}`);
    const members = names.map((name, index) => ({ name: `m${index}`, type: `${name}[]` }));
    const types = Object.fromEntries(names.slice(0, 8).map((name) => [name, members]));
    const rest = Object.fromEntries(names.slice(8).map((name) => [name, [{ name: 'm', type: `${names[0]}[]` }]]));
    const all = { ...types, ...rest };
    const v = Object.fromEntries(members.map(({ name }) => [name, []]));
    const started = performance.now();
    expect(parse(single(names[0] ?? '', v, all)).digest).toHaveLength(32);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(refusal(() => parse(single('bool', true, { ...all, P: [] })))).toContain('more than 100 types');
  });
});

describe('domains', () => {
  test('a domain with a salt', () => {
    const salt = `0x${'ab'.repeat(32)}`;
    const data = { ...single('bool', true), types: { T: [{ name: 'v', type: 'bool' }] }, domain: { salt } };
    expect(parse(data).policy.domain).toEqual({ salt });
    expect(parse(data).description).toBe(
      'NOT BOUND TO ONE CHAIN: the domain of the message has no chain id, so it counts on every chain, ' +
        'call by signature T(v: true) on 0x0000000000000000000000000000000000000000',
    );
  });

  test('an empty domain must be asked for', () => {
    const data = { ...single('bool', true), domain: {} };
    expect(refusal(() => parse({ ...data, types: { T: data.types.T } }))).toContain('the domain is empty');
    expect(parse({ ...data, types: { EIP712Domain: [], T: data.types.T } }).policy.domain).toEqual({});
  });

  test('an empty version must be asked for, since libraries derive different types from it', () => {
    const data = { ...single('bool', true), domain: { ...domain, version: '' } };
    expect(refusal(() => parse({ ...data, types: { T: data.types.T } }))).toContain('the domain has an empty version');
    expect(parse(data).policy.domain).toMatchObject({ version: '' });
  });

  test.each([
    ['an unknown field', [{ name: 'owner', type: 'address' }], 'the field owner, which EIP-712 does not define'],
    [
      'a field of another type',
      [{ name: 'chainId', type: 'string' }],
      'the field chainId of EIP712Domain must be of type uint256',
    ],
  ])('%s is refused', (_, EIP712Domain, reason) => {
    const data = single('bool', true);
    expect(refusal(() => parse({ ...data, types: { ...data.types, EIP712Domain } }))).toContain(reason);
  });

  test('a field without a type and a type without a field are refused', () => {
    const data = single('bool', true);
    expect(refusal(() => parse({ ...data, domain: { ...domain, salt: `0x${'00'.repeat(32)}` } }))).toContain('domain has fields');
    expect(refusal(() => parse({ ...data, domain: { name: 'x' } }))).toContain('domain.version is missing');
  });
});

describe('values', () => {
  test.each([
    ['uint8', 255, 255n],
    ['uint256', '115792089237316195423570985008687907853269984665640564039457584007913129639935', 2n ** 256n - 1n],
    ['uint256', `0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    ['uint256', '9007199254740993', 9_007_199_254_740_993n],
    ['int8', -128, -128n],
    ['int256', '-1', -1n],
    ['bool', false, false],
    ['bytes', '0xABCD', '0xabcd'],
    ['bytes4', '0x01020304', '0x01020304'],
    ['string', 'naïve 🙂', 'naïve 🙂'],
    ['uint8[2][]', [[1, 2]], [[1n, 2n]]],
  ])('%s takes %j', (type, value, seen) => {
    expect(parse(single(type, value)).policy.message).toEqual(new Map([['v', seen]]));
  });

  test.each([
    ['uint8', 256, 'is not an integer of uint8'],
    ['uint8', -1, 'is not an integer of uint8'],
    ['int8', 128, 'is not an integer of int8'],
    ['int8', '-129', 'is not an integer of int8'],
    ['uint256', `0x1${'0'.repeat(64)}`, 'is not an integer of uint256'],
    ['uint256', '1e18', 'is not an integer of uint256'],
    ['uint256', '01', 'is not an integer of uint256'],
    ['uint256', '+1', 'is not an integer of uint256'],
    ['uint256', ' 1', 'is not an integer of uint256'],
    ['uint256', '', 'is not an integer of uint256'],
    ['uint256', '0x', 'is not an integer of uint256'],
    ['int256', '-0x1', 'is not an integer of int256'],
    ['uint256', true, 'is not an integer of uint256'],
    ['uint256', null, 'is not an integer of uint256'],
    ['uint256', 1.5, 'not a plain integer'],
    ['uint256', 9_007_199_254_740_992, 'too large to be kept exactly'],
    ['bool', 1, 'is not true or false'],
    ['bool', 'true', 'is not true or false'],
    ['string', 1, 'is not a string'],
    ['address', '0x1234', '40 hexadecimal digits'],
    ['address', 'CcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC', 'is not a 0x address'],
    ['address', '0xcCCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC', 'EIP-55 checksum'],
    ['bytes', '0xabc', 'is not 0x and hexadecimal digits'],
    ['bytes', 'abcd', 'is not 0x and hexadecimal digits'],
    ['bytes', [1, 2], 'is not 0x and hexadecimal digits'],
    ['bytes4', '0x010203', 'is not 0x and 4 bytes'],
    ['bytes4', '0x0102030405', 'is not 0x and 4 bytes'],
    ['uint8[2]', [1], 'has 1 items, but its type has 2'],
    ['uint8[]', { 0: 1 }, 'must be a list'],
    ['uint8[]', [1, 256], 'message.v[1] is not an integer of uint8'],
    ['Missing', {}, 'the type Missing is neither built in nor defined'],
    ['uint', 1, 'EIP-712 has no alias, write uint256'],
    ['uint7', 1, 'neither built in nor defined'],
    ['bytes33', '0x', 'neither built in nor defined'],
    ['bool[0]', [], 'is not a valid type'],
    ['bool[', [], 'is not a valid type'],
    ['', 1, 'is not a valid type'],
  ])('D43: %s refuses %j', (type, value, reason) => {
    expect(refusal(() => parse(single(type, value)))).toMatch(/^INVALID_TYPED_DATA: /);
    expect(refusal(() => parse(single(type, value)))).toContain(reason);
  });
});

describe('structure', () => {
  const valid = single('bool', true);
  test.each<[string, unknown, string]>([
    ['a list', [], 'typed data must be a JSON object'],
    ['a further field', { ...valid, extra: 1 }, 'typed data has no field "extra"'],
    ['no domain', { ...valid, domain: undefined }, 'domain must be an object'],
    ['no types', { ...valid, types: undefined }, 'types must be an object'],
    ['no primary type', { ...valid, primaryType: undefined }, 'primaryType must name one of the types'],
    ['an unknown primary type', { ...valid, primaryType: 'U' }, 'primaryType must name one of the types'],
    ['the domain as primary type', { ...valid, primaryType: 'EIP712Domain' }, 'not of the domain'],
    ['no message', { ...valid, message: undefined }, 'message must be an object of the type T'],
    ['a missing field', { ...valid, message: {} }, 'message.v is missing'],
    ['a field that is not signed', { ...valid, message: { v: true, w: 1 } }, 'message has fields that the type T does not have'],
    ['a type that is no list', single('bool', true, { U: {} }), 'the type U is not a list of members'],
    ['a member without a type', single('bool', true, { U: [{ name: 'a' }] }), 'must have a name and a type, and nothing else'],
    ['a member with more', single('bool', true, { U: [{ name: 'a', type: 'bool', x: 1 }] }), 'and nothing else'],
    ['a member name with a space', single('bool', true, { U: [{ name: 'a b', type: 'bool' }] }), 'has an invalid name'],
    [
      'two members of one name',
      single('bool', true, {
        U: [
          { name: 'a', type: 'bool' },
          { name: 'a', type: 'bool' },
        ],
      }),
      'two members named a',
    ],
    ['a type name that would change the encoding', single('bool', true, { 'U(bool a)V': [] }), 'is not a valid type name'],
    ['a redefined built-in type', single('bool', true, { uint256: [] }), 'cannot be redefined'],
    ['a redefined alias', single('bool', true, { uint: [] }), 'cannot be redefined'],
  ])('%s is refused', (_, data, reason) => {
    expect(refusal(() => parse(data))).toContain(reason);
  });

  test('a type name with a colon is read, since applications in use have it', () => {
    const data = { ...valid, primaryType: 'App:Send', types: { ...valid.types, 'App:Send': [{ name: 'v', type: 'bool' }] } };
    expect(parse(data).policy.primary_type).toBe('App:Send');
  });

  test('a member named __proto__ is only a name', () => {
    const text = JSON.stringify(single('bool', true)).replaceAll('"v"', '"__proto__"');
    expect(parseTypedData(text.replace('"name":"v"', '"name":"__proto__"'), contextWith()).policy.message).toEqual(
      new Map([['__proto__', true]]),
    );
    expect(({} as Record<string, unknown>).v).toBeUndefined();
  });
});
