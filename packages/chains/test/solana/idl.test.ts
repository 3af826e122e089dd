import { readFileSync } from 'node:fs';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { ChainError } from '../../src/errors.ts';
import { anchorDiscriminator } from '../../src/solana/idl/idl.ts';
import { MAX_IDL_LENGTH, parseIdl } from '../../src/solana/index.ts';
import type { ContractInterface } from '../../src/transaction.ts';
import { attempt } from './attempt.ts';
import { buildTransaction, key, SYSTEM } from './message-builder.ts';
import { type Json, parse, toJson } from './support.ts';

interface IdlVectors {
  readonly program: string;
  readonly interfaces: Readonly<Record<string, Json>>;
  readonly transactions: readonly {
    readonly name: string;
    readonly idl: string;
    readonly unsignedTransaction: string;
    readonly expected: Json;
  }[];
}

const vectors: IdlVectors = JSON.parse(
  readFileSync(new URL('../../../../conformance/transactions/solana-idl.json', import.meta.url), 'utf8'),
);

const stored = (json: Json | string, address = vectors.program): ContractInterface => ({
  kind: 'solana',
  address,
  json: typeof json === 'string' ? json : JSON.stringify(json),
});

/** The parsed data of the only instruction, or undefined. */
function parsedData(unsignedTransaction: string, interfaces: readonly ContractInterface[]): Json | undefined {
  const { policy } = parse(unsignedTransaction, interfaces);
  return (toJson(policy.instructions) as readonly { readonly [field: string]: Json }[])[0]?.parsed_instruction_data;
}

/** A call of program key(9) with the given data, decoded against an interface with one instruction. */
function call(data: readonly number[], args: Json, types: Json = []) {
  const idl = { instructions: [{ name: 'f', discriminator: [7], accounts: [], args }], types };
  const unsigned = buildTransaction({ otherKeys: [key(1), key(9)], instructions: [{ program: 2, data: [7, ...data] }] });
  return parse(unsigned, [stored(idl, key(9))]);
}

function callArgs(data: readonly number[], args: Json, types: Json = []): Json | undefined {
  const { policy } = call(data, args, types);
  const [instruction] = toJson(policy.instructions) as readonly { readonly [field: string]: { readonly [name: string]: Json } }[];
  return instruction?.parsed_instruction_data?.program_call_args;
}

describe('instructions encoded by Anchor', () => {
  test.each(vectors.transactions)('$name', ({ idl, unsignedTransaction, expected }) => {
    const interfaces = [stored(vectors.interfaces[idl] as Json)];
    expect(parsedData(unsignedTransaction, interfaces)).toEqual(expected);
    expect(parse(unsignedTransaction, interfaces).fullyParsed).toBe(true);
  });

  test('decoded calls are named in the description, and still do not count as transfers', () => {
    const { unsignedTransaction, idl } = vectors.transactions[2] as IdlVectors['transactions'][number];
    const { description, policy } = parse(unsignedTransaction, [stored(vectors.interfaces[idl] as Json)]);
    expect(description).toContain(
      `call sharedAccountsRouteV2(id: 3, inAmount: 995500000, steps: [{percent: 100}, {percent: 1, inputIndex: 2}]`,
    );
    expect(policy).not.toHaveProperty('transfers');
  });

  test('known discriminators', () => {
    expect(bytesToHex(anchorDiscriminator('initialize'))).toBe('afaf6d1f0d989bed');
    expect(anchorDiscriminator('swapBaseIn')).toEqual(anchorDiscriminator('swap_base_in'));
    expect(anchorDiscriminator('routeV2')).toEqual(anchorDiscriminator('route_v2'));
    expect(anchorDiscriminator('setHTTPServer')).toEqual(anchorDiscriminator('set_http_server'));
  });
});

describe('which interface applies', () => {
  const { unsignedTransaction, idl } = vectors.transactions[3] as IdlVectors['transactions'][number];
  const json = vectors.interfaces[idl] as Json;

  test.each([
    ['none', [], 'no interface is stored'],
    ['one of another program', [stored(json, key(1))], 'no interface is stored'],
    ['one whose address differs in case', [stored(json, vectors.program.toUpperCase())], 'no interface is stored'],
    ['one for Ethereum', [{ ...stored(json), kind: 'ethereum' as const }], 'no interface is stored'],
    ['two of the same program', [stored(json), stored(json)], 'more than one interface is stored'],
    ['one that is not valid', [stored('{')], 'does not fit'],
    ['one without the instruction', [stored({ instructions: [], types: [] })], 'matches no instruction'],
  ])('%s: not understood', (_, interfaces, reason) => {
    const { fullyParsed, unparsed } = parse(unsignedTransaction, interfaces);
    expect(fullyParsed).toBe(false);
    expect(unparsed[0]).toContain(reason);
    expect(parsedData(unsignedTransaction, interfaces)).toBeUndefined();
  });

  test('an interface cannot give a built-in program another meaning', () => {
    const evil = {
      instructions: [{ name: 'harmless', discriminator: [2, 0, 0, 0], accounts: [], args: [{ name: 'n', type: 'u64' }] }],
      types: [],
    };
    const { policy } = parse(buildTransaction({}), [stored(evil, SYSTEM)]);
    expect(policy.transfers).toHaveLength(1);
    expect(JSON.stringify(toJson(policy))).not.toContain('harmless');
  });
});

describe('strict decoding', () => {
  const arg = (type: Json) => [{ name: 'x', type }];

  test.each([
    ['bytes left over', [1, 0], 'u8', [], 'has 1 bytes after its end'],
    ['too few bytes', [1], 'u16', [], 'ends too early'],
    ['a flag of 2', [2], 'bool', [], 'neither 0 nor 1'],
    ['an option flag of 2', [2, 1], { option: 'u8' }, [], 'neither 0 nor 1'],
    ['a COption flag of 256', [0, 1, 0, 0, 5], { coption: 'u8' }, [], 'neither 0 nor 1'],
    ['text that is not UTF-8', [1, 0, 0, 0, 0xff], 'string', [], 'not UTF-8'],
    ['a list longer than the data', [255, 255, 255, 255, 1], { vec: 'u8' }, [], 'ends too early'],
    ['text longer than the data', [255, 255, 255, 255, 1], 'string', [], 'ends too early'],
    ['NaN', [0, 0, 0xc0, 0x7f], 'f32', [], 'not a number (NaN)'],
    [
      'an enum variant that is not there',
      [2],
      { defined: 'E' },
      [{ name: 'E', type: { kind: 'enum', variants: [{ name: 'A' }, { name: 'B' }] } }],
      'enum variant',
    ],
  ])('D41: %s', (_, data, type, types, reason) => {
    const { unparsed, policy } = call(data, arg(type), types as Json);
    expect(unparsed[0]).toContain(reason);
    expect((policy.instructions as readonly unknown[])[0]).not.toHaveProperty('parsed_instruction_data');
  });

  test.each([
    ['four billion values without content', [255, 255, 255, 255], { vec: { defined: 'Empty' } }],
    ['an array of values without content', [], { array: [{ array: [{ defined: 'Empty' }, 65_536] }, 65_536] }],
    ['doubling without content', [], { defined: 'D20' }],
  ])('D41: %s stay within bounds', (_, data, type) => {
    const doubling = Array.from({ length: 21 }, (_, n) => ({
      name: `D${n}`,
      type: { kind: 'struct', fields: n === 0 ? [] : [{ defined: `D${n - 1}` }, { defined: `D${n - 1}` }] },
    }));
    const parsed = attempt(() => call(data, arg(type), [{ name: 'Empty', type: { kind: 'struct' } }, ...doubling]));
    expect(parsed?.unparsed[0]).toContain('more than 4096 values');
  });

  test('an optional value: absent by name, a list of none or one by position, and never lost in nesting', () => {
    const option = { option: 'u8' };
    expect(callArgs([0], arg(option))).toEqual({});
    expect(callArgs([1, 5], arg(option))).toEqual({ x: '5' });
    expect(callArgs([1, 0], arg({ option }))).toEqual({ x: [] });
    expect(callArgs([1, 1, 5], arg({ option }))).toEqual({ x: ['5'] });
    expect(
      callArgs([0, 1, 5], arg({ tuple: [option, { defined: 'Alias' }] }), [
        { name: 'Alias', type: { kind: 'type', alias: option } },
      ]),
    ).toEqual({ x: [[], ['5']] });
    expect(callArgs([1, 0, 0, 0, 9, 0, 0, 0, 0], arg({ tuple: [{ coption: 'u8' }, { coption: 'u8' }] }))).toEqual({
      x: [['9'], []],
    });
  });

  test('minus zero and large floats keep their own text', () => {
    expect(callArgs([0, 0, 0, 0x80], arg('f32'))).toEqual({ x: '-0' });
    expect(callArgs([0, 0, 0x80, 0x7f], arg('f32'))).toEqual({ x: 'Infinity' });
    expect(callArgs([1, ...new Array(31).fill(0)], arg('u256'))).toEqual({ x: '1' });
    expect(callArgs(new Array(32).fill(255), arg('i256'))).toEqual({ x: '-1' });
  });

  test('names like __proto__ are names', () => {
    expect(callArgs([1], [{ name: '__proto__', type: 'u8' }])).toEqual(JSON.parse('{"__proto__":"1"}'));
  });

  test('fewer accounts than the interface names are told', () => {
    const idl = { instructions: [{ name: 'f', discriminator: [7], accounts: [{ name: 'a' }], args: [] }], types: [] };
    const unsigned = buildTransaction({ otherKeys: [key(1), key(9)], instructions: [{ program: 2, data: [7] }] });
    expect(parse(unsigned, [stored(idl, key(9))]).unparsed[0]).toContain('fewer accounts');
  });
});

describe('interfaces that are refused at creation', () => {
  const instruction = (more: { readonly [key: string]: Json } = {}) => ({ name: 'f', accounts: [], args: [], ...more });
  const withArg = (type: Json, types: readonly Json[] = []) => ({
    instructions: [instruction({ args: [{ name: 'x', type }] })],
    types,
  });
  const struct = (name: string, ...fields: readonly Json[]) => ({ name, type: { kind: 'struct', fields } });

  test.each<readonly [string, Json | string, string]>([
    ['not JSON', '{', 'JSON'],
    ['a list', [], 'the IDL is not an object'],
    ['no key types', { instructions: [] }, 'the key "types" of the IDL is not a list'],
    ['no key instructions', { types: [] }, 'the key "instructions" of the IDL is not a list'],
    ['a key twice', '{"types":[],"types":[],"instructions":[]}', 'given twice'],
    ['too long', `{"types":[],"instructions":[]}${' '.repeat(MAX_IDL_LENGTH)}`, 'longer than 400000'],
    ['an instruction without a name', { instructions: [{ accounts: [], args: [] }], types: [] }, 'has no name'],
    [
      'an instruction without accounts',
      { instructions: [{ name: 'f', args: [] }], types: [] },
      'the key "accounts" of f is not a list',
    ],
    ['two instructions of one name', { instructions: [instruction(), instruction()], types: [] }, 'two members named "f"'],
    [
      'two accounts of one name',
      { instructions: [instruction({ accounts: [{ name: 'a' }, { name: 'a' }] })], types: [] },
      'two members named "a"',
    ],
    [
      'two arguments of one name',
      {
        instructions: [
          instruction({
            args: [
              { name: 'a', type: 'u8' },
              { name: 'a', type: 'u8' },
            ],
          }),
        ],
        types: [],
      },
      'two members named "a"',
    ],
    ['arguments without names', { instructions: [instruction({ args: ['u8'] })], types: [] }, 'have no names'],
    ['an empty discriminator', { instructions: [instruction({ discriminator: [] })], types: [] }, 'not a list of bytes'],
    ['a discriminator of 256', { instructions: [instruction({ discriminator: ['256'] })], types: [] }, 'not a list of bytes'],
    [
      'one discriminator as the beginning of another',
      '{"types":[],"instructions":[{"name":"a","accounts":[],"args":[],"discriminator":[1,2]},{"name":"b","accounts":[],"args":[],"discriminator":[1]}]}',
      'begin with the same bytes',
    ],
    ['an unknown scalar', withArg('u63'), 'the type "u63" is not known'],
    ['an unknown form', withArg({ hashMap: ['u8', 'u8'] }), 'the type form "hashMap" is not supported'],
    ['a type of two forms', withArg({ vec: 'u8', option: 'u8' }), 'exactly one key'],
    ['an array without a length', withArg({ array: ['u8'] }), 'must be a type and a length'],
    ['a generic length', withArg({ array: ['u8', { generic: 'N' }] }), 'must be a type and a length'],
    ['a type that is not defined', withArg({ defined: 'Gone' }), 'the type "Gone" is not defined'],
    ['a type that is defined twice', withArg({ defined: 'T' }, [struct('T'), struct('T')]), 'the type "T" is defined twice'],
    [
      'a type that contains itself',
      withArg({ defined: 'T' }, [struct('T', { name: 't', type: { vec: { defined: 'T' } } })]),
      'contains itself',
    ],
    [
      'types that contain each other',
      withArg({ defined: 'A' }, [struct('A', { defined: 'B' }), struct('B', { option: { defined: 'A' } })]),
      'contains itself',
    ],
    [
      'a generic type',
      withArg({ defined: { name: 'T', generics: [{ kind: 'type', type: 'u8' }] } }, [struct('T')]),
      'generic types are not supported',
    ],
    [
      'a generic definition',
      withArg({ defined: 'T' }, [{ ...struct('T'), generics: [{ kind: 'type', name: 'X' }] }]),
      'generic type T is not supported',
    ],
    [
      'a serialization of its own',
      withArg({ defined: 'T' }, [{ ...struct('T'), serialization: { custom: 'x' } }]),
      'serialization of type T',
    ],
    [
      'a type of unknown kind',
      withArg({ defined: 'T' }, [{ name: 'T', type: { kind: 'union' } }]),
      'neither a struct, an enum nor an alias',
    ],
    [
      'two variants of one name',
      withArg({ defined: 'T' }, [{ name: 'T', type: { kind: 'enum', variants: [{ name: 'a' }, { name: 'a' }] } }]),
      'two members named "a"',
    ],
    [
      'more variants than a byte',
      withArg({ defined: 'T' }, [
        { name: 'T', type: { kind: 'enum', variants: Array.from({ length: 257 }, (_, n) => ({ name: `v${n}` })) } },
      ]),
      'more variants',
    ],
    ['a name of 201 characters', { instructions: [{ name: 'x'.repeat(201), accounts: [], args: [] }], types: [] }, 'has no name'],
  ])('%s', (_, idl, message) => {
    const run = () => parseIdl(typeof idl === 'string' ? idl : JSON.stringify(idl));
    expect(run).toThrow(ChainError);
    expect(run).toThrow(expect.objectContaining({ code: 'INVALID_INTERFACE', message: expect.stringContaining(message) }));
  });

  test.each(['forward', 'backward'])('types nested a thousand deep, listed %s', (order) => {
    const chain = Array.from({ length: 1000 }, (_, n) => struct(`T${n}`, ...(n === 999 ? [] : [{ defined: `T${n + 1}` }])));
    const types = order === 'forward' ? chain : chain.toReversed();
    expect(() => parseIdl(JSON.stringify(withArg({ defined: 'T0' }, types)))).toThrow('nested more than 64 deep');
  });

  test('types that no instruction uses may be anything', () => {
    expect(
      parseIdl(JSON.stringify(withArg('u8', [{ name: 'Odd', type: { kind: 'union' } }, struct('T'), struct('T')]))).types.size,
    ).toBe(0);
  });
});
