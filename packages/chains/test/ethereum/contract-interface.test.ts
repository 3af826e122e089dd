import { describe, expect, test } from 'vitest';
import { parseContractInterface } from '../../src/ethereum/index.ts';
import { refusal } from './support.ts';

const fn = (name: string, ...types: readonly string[]) => ({
  type: 'function',
  name,
  inputs: types.map((type) => ({ name: '', type })),
});
const parse = (...entries: readonly unknown[]) => parseContractInterface(JSON.stringify(entries));
const withInput = (input: unknown) => ({ type: 'function', name: 'f', inputs: [input] });
const signatures = (...entries: readonly unknown[]) =>
  Array.from(parse(...entries).functions.values(), ({ selector, signature }) => `${selector} ${signature}`);

describe('parseContractInterface', () => {
  test('known selectors', () => {
    expect(
      signatures(
        fn('transfer', 'address', 'uint256'),
        fn('approve', 'address', 'uint256'),
        fn('safeTransferFrom', 'address', 'address', 'uint256'),
        fn('safeTransferFrom', 'address', 'address', 'uint256', 'bytes'),
        fn('multicall', 'bytes[]'),
        fn('deposit'),
      ),
    ).toEqual([
      '0xa9059cbb transfer(address,uint256)',
      '0x095ea7b3 approve(address,uint256)',
      '0x42842e0e safeTransferFrom(address,address,uint256)',
      '0xb88d4fde safeTransferFrom(address,address,uint256,bytes)',
      '0xac9650d8 multicall(bytes[])',
      '0xd0e30db0 deposit()',
    ]);
  });

  test('a tuple is spelled by its components', () => {
    const components = ['address', 'address', 'uint24', 'address', 'uint256', 'uint256', 'uint256', 'uint160'].map(
      (type, index) => ({
        name: `m${index}`,
        type,
      }),
    );
    expect(
      signatures({ type: 'function', name: 'exactInputSingle', inputs: [{ name: 'params', type: 'tuple', components }] }),
    ).toEqual(['0x414bf389 exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))']);
  });

  test('what is no function is passed over, and a missing type means function', () => {
    const { functions } = parse(
      { type: 'constructor', inputs: [{ name: 'x', type: 'anything' }] },
      { type: 'event', name: 'E' },
      { type: 'error', name: 'E' },
      { type: 'receive', stateMutability: 'payable' },
      { type: 'fallback' },
      { name: 'deposit', inputs: [], outputs: [], gas: 12_345 },
      { name: 'noInputs' },
    );
    expect(Array.from(functions.values(), ({ signature }) => signature)).toEqual(['deposit()', 'noInputs()']);
  });

  test('the same function twice is one function', () => {
    expect(signatures(fn('deposit'), fn('deposit'))).toEqual(['0xd0e30db0 deposit()']);
  });

  test.each([
    ['text', 'hello', 'invalid JSON: a value was expected here (at character 0)'],
    ['a build artifact', '{"abi": []}', 'only the part named "abi"'],
    ['text after the list', '[] x', 'the text goes on after its value'],
    ['a number as an entry', '[1]', 'each entry of the interface must be an object'],
    ['a key given twice', '[{"type":"function","name":"a","name":"b"}]', 'the name "name" is given twice'],
    ['400,001 characters', `[${' '.repeat(399_999)}]`, 'longer than 400000 characters'],
    ['deep nesting', '['.repeat(100), 'nested deeper than 64'],
  ])('%s is refused', (_, json, reason) => {
    expect(refusal(() => parseContractInterface(json))).toMatch(/^INVALID_INTERFACE: /);
    expect(refusal(() => parseContractInterface(json))).toContain(reason);
  });

  test.each([
    ['an unknown entry type', { type: 'method' }, 'unknown type'],
    ['a function without a name', { type: 'function' }, 'no valid name'],
    ['a name that is no identifier', { type: 'function', name: 'a b' }, 'no valid name'],
    ['inputs that are no list', { type: 'function', name: 'f', inputs: {} }, 'the parameters of f are not a list'],
    ['a parameter without a type', withInput({ name: 'x' }), 'has no name or no type'],
    ['a parameter name that is no identifier', withInput({ name: 'a.b', type: 'bool' }), 'invalid name'],
    ['a tuple without components', withInput({ name: 'x', type: 'tuple' }), 'a tuple needs components'],
    ['an empty tuple', withInput({ name: 'x', type: 'tuple[]', components: [] }), 'a tuple needs components'],
    [
      'components without a tuple',
      withInput({ name: 'x', type: 'bool', components: [{ name: '', type: 'bool' }] }),
      'only a tuple has',
    ],
    ['an alias', withInput({ name: 'x', type: 'uint' }), '"uint" is not supported: write uint256'],
    ['uint7', withInput({ name: 'x', type: 'uint7' }), '"uint7" is not supported'],
    ['uint264', withInput({ name: 'x', type: 'uint264' }), '"uint264" is not supported'],
    ['uint08', withInput({ name: 'x', type: 'uint08' }), '"uint08" is not supported'],
    ['bytes33', withInput({ name: 'x', type: 'bytes33' }), '"bytes33" is not supported'],
    ['a fixed-point number', withInput({ name: 'x', type: 'fixed128x18' }), '"fixed128x18" is not supported'],
    ['an empty fixed array', withInput({ name: 'x', type: 'bool[0]' }), 'not a valid ABI type'],
    ['a malformed array', withInput({ name: 'x', type: 'bool[' }), 'not a valid ABI type'],
    ['nine dimensions', withInput({ name: 'x', type: `bool${'[]'.repeat(9)}` }), 'not a valid ABI type'],
    [
      'D41: a static type larger than any transaction',
      withInput({ name: 'x', type: 'bool[60000][60000]' }),
      'larger than any transaction',
    ],
    [
      'D41: many large static types',
      { type: 'function', name: 'f', inputs: [1, 2, 3].map((i) => ({ name: `x${i}`, type: 'bool[20000]' })) },
      'larger than',
    ],
  ])('%s is refused', (_, entry, reason) => {
    expect(refusal(() => parse(entry))).toContain(reason);
  });

  test('two parameters of one name are refused, since a policy would see only one', () => {
    const inputs = [
      { name: 'to', type: 'address' },
      { name: 'to', type: 'address' },
    ];
    expect(refusal(() => parse({ type: 'function', name: 'f', inputs }))).toContain('two parameters of f are named to');
  });

  test('D40: two functions with one selector are refused', () => {
    // A published collision of selectors.
    const collision = [fn('collate_propagate_storage', 'bytes16'), fn('burn', 'uint256')];
    expect(refusal(() => parse(...collision))).toContain('burn(uint256) share the selector 0x42966c68');
  });

  test('one signature with two sets of names is refused', () => {
    const renamed = { ...fn('burn', 'uint256'), inputs: [{ name: 'value', type: 'uint256' }] };
    expect(refusal(() => parse(fn('burn', 'uint256'), renamed))).toContain('share the selector');
  });
});
