import { finished } from '@countersign/collections';
import { describe, expect, test } from 'vitest';
import { contractInterfaceTypes } from '../../src/chains.ts';
import { describeValues } from '../../src/ethereum/description.ts';
import { parseContractInterface } from '../../src/ethereum/index.ts';
import { newInterfaceBounds, newRequestBounds } from '../../src/parse-bounds.ts';
import type { ParseContext } from '../../src/transaction.ts';
import { encode, send } from './effects/support.ts';
import { refusal } from './support.ts';

const {
  SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM: abiType,
  SMART_CONTRACT_INTERFACE_TYPE_SOLANA: idlType,
  SMART_CONTRACT_INTERFACE_TYPE_ERC7730: descriptorType,
} = contractInterfaceTypes;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const functions = (count: number) =>
  numbers(count).map((at) => ({ type: 'function', name: `f${at}`, inputs: [{ type: 'bool' }] }));
const abi = (count: number) => JSON.stringify(functions(count));
const wide = (count: number) => JSON.stringify([{ name: 'f', inputs: numbers(count).map(() => ({ type: 'bool' })) }]);
const deep = (count: number) =>
  JSON.stringify([{ name: 'f', inputs: [{ type: 'tuple', components: numbers(count - 1).map(() => ({ type: 'bool' })) }] }]);
const instruction = (at: number) => ({ name: `f${at}`, accounts: [], args: [] });
const idl = (count: number) => JSON.stringify({ instructions: numbers(count).map(instruction), types: [] });

const deployed = (count: number) =>
  JSON.stringify({
    context: { contract: { deployments: numbers(count).map((chainId) => ({ chainId, address: `0x${'12'.repeat(20)}` })) } },
    display: { formats: {} },
  });

const steps = (type: typeof abiType, json: string) => type.readInSteps(json, newInterfaceBounds);

describe('the work of reading a new interface', () => {
  test.each([
    ['functions', abiType, abi(1_001), 'more than 1000 functions'],
    ['functions that are all the same', abiType, JSON.stringify(Array(1_001).fill(functions(1)[0])), 'more than 1000 functions'],
    ['parameters', abiType, wide(1_001), 'the function f has more than 1000 parameters'],
    ['parameters in a tuple', abiType, deep(1_001), 'the function f has more than 1000 parameters'],
    ['instructions', idlType, idl(1_001), 'more than 1000 instructions'],
    ['deployments', descriptorType, deployed(1_001), 'more than 1000 deployments'],
  ])('D356: more than 1,000 %s are refused', (_, type, json, reason) => {
    expect(refusal(() => finished(steps(type, json)))).toContain(reason);
  });

  test.each([
    ['functions', abiType, abi(1_000)],
    ['parameters', abiType, wide(1_000)],
    ['parameters, with the tuple', abiType, deep(1_000)],
    ['instructions', idlType, idl(1_000)],
    ['deployments', descriptorType, deployed(1_000)],
  ])('1,000 %s are read', (_, type, json) => {
    expect(finished(steps(type, json))).toBeDefined();
  });

  test('D356: each function and each instruction is a step', () => {
    for (const [type, json] of [
      [abiType, abi(500)],
      [idlType, idl(500)],
    ] as const) {
      let count = 0;
      for (const work = steps(type, json); work.next().done !== true; ) count += 1;
      expect(count).toBeGreaterThanOrEqual(499);
    }
  });

  test('an interface that was stored before has no bounds', () => {
    expect(parseContractInterface(abi(1_500)).functions.size).toBe(1_500);
  });
});

describe('the work of a descriptor', () => {
  const contract = `0x${'12'.repeat(20)}`;
  const call = 'function f(address[] list, uint256[] amounts)';
  const describing = (fields: readonly object[]) => ({
    kind: 'erc7730' as const,
    address: contract,
    json: JSON.stringify({
      context: { contract: { deployments: [{ chainId: 1, address: contract }] } },
      display: { formats: { [call.slice('function '.length)]: { intent: 'Pay', fields } } },
    }),
  });
  /** A list has at most 100 fields, but each of them can be a group of 100. */
  const groups = (count: number, field: object) => Array(count).fill({ path: '#.', fields: Array(100).fill(field) });
  const list = (count: number) => numbers(count).map((at) => `0x${at.toString(16).padStart(40, 'b')}`);
  const data = (count: number) => encode(call, [list(count), numbers(count).map(BigInt)]);
  const listed = { path: '#.list.[]', label: 'Receiver' };
  /** Each amount looks for its token among all addresses. */
  const squared = { path: '#.amounts.[]', label: 'Amount', format: 'tokenAmount', params: { tokenPath: '#.list.[]' } };
  const bounded: Partial<ParseContext> = { bounds: newRequestBounds };

  test.each([
    ['2,000 fields that select each of 50 values', 50, describing(groups(20, listed))],
    ['100 fields that select each of 500 values', 500, describing(groups(1, listed))],
    ['900 fields with long paths that select nothing', 1, describing(groups(9, { path: `#.${'a.'.repeat(190)}`, label: 'x' }))],
    ['a field that selects 200 values for each of 200', 200, describing([squared])],
  ])('D358: %s are refused', (_, count, descriptor) => {
    const run = () => send({ to: contract, data: data(count) }, { interfaces: [descriptor], ...bounded });
    expect(refusal(run)).toContain('the stored descriptor selects more than 8192 values');
  });

  test('two fields that select each of 1,000 values are shown', () => {
    const descriptor = describing([listed, { path: '#.amounts.[]', label: 'Amount' }]);
    const parsed = send({ to: contract, data: data(1_000) }, { interfaces: [descriptor], ...bounded });
    expect(parsed.description).toContain('"Amount": 0, 1, 2,');
  });

  test('a stored request is described without the bound, as it was when it was accepted', () => {
    const parsed = send({ to: contract, data: data(50) }, { interfaces: [describing(groups(2, listed))] });
    expect(parsed.description).toContain('and 230 more');
  });

  test('D354: only the shown values of a long list are described', () => {
    let reads = 0;
    const observed = new Proxy(list(3_000), {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^[0-9]+$/.test(name)) reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(describeValues(new Map([['list', observed]]))).toContain('and 2992 more');
    expect(reads).toBe(8);
  });
});
