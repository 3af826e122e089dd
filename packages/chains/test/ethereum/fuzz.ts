import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { TypedData } from 'ox';
import { ChainError } from '../../src/errors.ts';
import { encodeAbi } from '../../src/ethereum/abi-codec.ts';
import { parseAuthorization, parseContractInterface, parseDescriptor, parseTypedData } from '../../src/ethereum/index.ts';
import { encodeRlp, type RlpItem } from '../../src/ethereum/rlp.ts';
import { transaction } from './arbitrary-transactions.ts';
import { contextWith, parse, rlp } from './support.ts';

const maxMs = 1_000;
const to = `0x${'35'.repeat(20)}`;

const abi = JSON.stringify([
  {
    type: 'function',
    name: 'f',
    inputs: [
      { name: 'a', type: 'address' },
      { name: 'b', type: 'bytes[]' },
      {
        name: 'c',
        type: 'tuple[2][]',
        components: [
          { name: 'd', type: 'string' },
          { name: 'e', type: 'int16[]' },
        ],
      },
      { name: 'g', type: 'bool' },
    ],
  },
]);
const [f] = parseContractInterface(abi).functions.values();
if (f === undefined) throw new Error('the interface has a function');
const types = f.inputs.map(({ type }) => type);
const calldata = encodeAbi(types, [
  to,
  ['0x1234', '0x'],
  [
    [
      ['a', [1n, -1n]],
      ['', []],
    ],
  ],
  true,
]);
const typedData = JSON.stringify({
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    P: [
      { name: 'a', type: 'address' },
      { name: 'n', type: 'uint64[2]' },
    ],
    M: [
      { name: 'p', type: 'P[]' },
      { name: 's', type: 'string' },
    ],
  },
  primaryType: 'M',
  domain: { name: 'n', chainId: 1 },
  message: { p: [{ a: to, n: [1, '2'] }], s: 'text' },
});
const descriptor = JSON.stringify({
  context: { contract: { deployments: [{ chainId: 1, address: to }], abi: [] } },
  metadata: { enums: { e: { '1': 'one' } } },
  display: {
    formats: {
      'f(address a, (uint256 b, bytes c)[] d)': {
        intent: 'Do',
        fields: [
          { path: 'a', label: 'A', format: 'addressName' },
          { path: 'd', fields: [{ path: '[].b', label: 'B', format: 'enum', params: { $ref: '$.metadata.enums.e' } }] },
        ],
      },
    },
  },
});
const authorization = JSON.stringify({ address: to, chainId: 1, nonce: '0x5' });

/** A change at some place: a byte set, bytes put in, bytes cut out, or a part repeated. */
const edit = fc.record({
  kind: fc.constantFrom('set', 'insert', 'cut', 'repeat'),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 40 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});
const edits = fc.array(edit, { maxLength: 4 });
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function mutate(input: Uint8Array, changes: readonly Edit[]): Uint8Array {
  return changes.reduce((bytes, { kind, at, length, bytes: added }) => {
    const start = bytes.length === 0 ? 0 : at % bytes.length;
    const end = Math.min(start + length, bytes.length);
    const [before, part, after] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
    const middle = {
      set: [...added, ...part.subarray(added.length)],
      insert: [...added, ...part],
      cut: [],
      repeat: [...part, ...part],
    }[kind];
    return Uint8Array.from([...before, ...(middle ?? []), ...after]);
  }, input);
}

const tokens = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '-',
  '0x',
  '1e9',
  'null',
  'true',
  '"uint8"',
  '[]',
  '[2]',
  '__proto__',
  '\ud800',
  ' ',
];

function mutateText(input: string, changes: readonly Edit[]): string {
  return changes.reduce((text, { kind, at, length, bytes }) => {
    const start = text.length === 0 ? 0 : at % text.length;
    const token = tokens[(bytes[0] ?? 0) % tokens.length] ?? '';
    const part = text.slice(start, start + length);
    const middle = { set: token + part.slice(token.length), insert: token + part, cut: '', repeat: part + part }[kind];
    return text.slice(0, start) + middle + text.slice(start + length);
  }, input);
}

/** The result, or undefined when the input was refused with a ChainError. Anything else, or taking long, is a failure. */
function attempt<T>(run: () => T): T | undefined {
  const started = performance.now();
  const result = orRefused(run);
  const took = performance.now() - started;
  if (took > maxMs) throw new Error(`took ${took} ms`);
  return result;
}

function orRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

function checkTransaction(bytes: Uint8Array): void {
  const hex = bytesToHex(bytes);
  const parsed = attempt(() => parse(hex));
  if (parsed === undefined) return;
  const { envelope, policy } = parsed;
  const tail: RlpItem[] =
    policy.type === 'LEGACY' && policy.chain_id !== undefined
      ? [integer(policy.chain_id as bigint), new Uint8Array(), new Uint8Array()]
      : [];
  const prefix = policy.type === 'LEGACY' ? '' : `0${String(policy.type).slice(-1)}`;
  const encoded = prefix + bytesToHex(encodeRlp([...envelope.items, ...tail]));
  if (encoded !== hex) throw new Error('an accepted transaction does not encode to itself');
}

function integer(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
}

function checkCallData(data: Uint8Array): void {
  const call = bytesToHex(data);
  const fields = ['01', '', '', '', '5208', to.slice(2), '', call, []];
  const parsed = attempt(() => parse(rlp(fields, 0x02), { kind: 'ethereum', address: to, json: abi }));
  if (parsed === undefined) throw new Error('undecoded call data must not make a transaction unreadable');
  const args = parsed.policy.contract_call_args;
  if (!(args instanceof Map)) return;
  const again = Buffer.from(encodeAbi(types, Array.from(args.values()) as never)).toString('hex');
  if (parsed.policy.data !== `${f?.selector}${again}`) throw new Error('decoded call data does not encode to itself');
}

function checkTypedData(text: string): void {
  const parsed = attempt(() => parseTypedData(text, contextWith()));
  if (parsed === undefined) return;
  const data = JSON.parse(text);
  // Without the domain's own type, ox leaves out a chain id that is a string.
  if (data.types.EIP712Domain === undefined) return;
  if (TypedData.getSignPayload(data) !== `0x${bytesToHex(parsed.digest)}`)
    throw new Error('accepted typed data has another digest by ox');
}

/**
 * Throws mutated and random input at every reader of the Ethereum module and fails if one hangs, throws anything but
 * a ChainError, or accepts what does not encode to itself again. The same seed gives the same inputs.
 */
export function fuzz(runs: number, seed: number): void {
  const parameters = { numRuns: runs, seed };
  const check = <T>(arbitrary: fc.Arbitrary<T>, predicate: (value: T) => void) =>
    fc.assert(fc.property(arbitrary, predicate), parameters);
  const selector = hexToBytes(f?.selector.slice(2) ?? '');

  check(fc.uint8Array({ minLength: 1, maxLength: 200 }), checkTransaction);
  check(fc.tuple(transaction, edits), ([{ unsigned }, changes]) =>
    checkTransaction(mutate(hexToBytes(unsigned.slice(2)), changes)),
  );
  check(fc.uint8Array({ maxLength: 300 }), (data) => checkCallData(Uint8Array.of(...selector, ...data)));
  check(edits, (changes) => checkCallData(Uint8Array.of(...selector, ...mutate(calldata, changes))));
  check(edits, (changes) => checkTypedData(mutateText(typedData, changes)));
  check(edits, (changes) => void attempt(() => parseAuthorization(mutateText(authorization, changes), contextWith())));
  check(edits, (changes) => void attempt(() => parseContractInterface(mutateText(abi, changes))));
  check(edits, (changes) => void attempt(() => parseDescriptor(mutateText(descriptor, changes))));
  check(fc.string({ unit: 'binary' }), checkTypedData);
  check(fc.json(), (text) => void attempt(() => parseContractInterface(text)));
}
