import { hexToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { buildTransaction, COMPUTE_BUDGET, key, SYSTEM, TOKEN, TOKEN_2022, u64 } from './message-builder.ts';

const STAKE = 'Stake11111111111111111111111111111111111111';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const programs = [SYSTEM, TOKEN, TOKEN_2022, COMPUTE_BUDGET, key(250), STAKE, ASSOCIATED];
/** The program that owns every new account. */
export const NEW_OWNER = key(251);

const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

interface Shape {
  readonly version: 0x80 | undefined;
  readonly signers: number;
  readonly readonlySigners: number;
  readonly accounts: number;
  readonly readonlyAccounts: number;
  readonly tables: readonly { readonly writable: readonly number[]; readonly readonly: readonly number[] }[];
}

const indexes = fc.uniqueArray(fc.nat(255), { maxLength: 3 });

const shape: fc.Arbitrary<Shape> = fc
  .record({
    version: fc.constantFrom(undefined, 0x80 as const),
    signers: fc.integer({ min: 1, max: 3 }),
    readonlySigners: fc.nat(2),
    accounts: fc.integer({ min: 3, max: 8 }),
    readonlyAccounts: fc.nat(8),
    tables: fc.array(fc.record({ writable: indexes, readonly: indexes }), { maxLength: 2 }),
  })
  .map((raw) => ({
    ...raw,
    readonlySigners: Math.min(raw.readonlySigners, raw.signers - 1),
    readonlyAccounts: Math.min(raw.readonlyAccounts, raw.accounts - raw.signers) + programs.length,
    tables: raw.version === undefined ? [] : raw.tables.flatMap(distinct),
  }));

/** A lookup takes each account once, and at least one. */
function distinct(table: Shape['tables'][number]): Shape['tables'] {
  const readonly = table.readonly.filter((index) => !table.writable.includes(index));
  return table.writable.length + readonly.length > 0 ? [{ writable: table.writable, readonly }] : [];
}

/** Well-formed transactions of the test signer: both versions, several signers, tables, known and unknown instructions. */
export const transaction: fc.Arbitrary<Uint8Array> = shape
  .chain((form) => {
    const total =
      form.accounts +
      programs.length +
      form.tables.reduce((sum, table) => sum + table.writable.length + table.readonly.length, 0);
    const account = fc.nat(total - 1);
    const at = (program: number) => form.accounts + program;
    const instruction = fc.oneof(
      fc
        .tuple(account, account, amount)
        .map(([from, to, n]) => ({ program: at(0), accounts: [from, to], data: [2, 0, 0, 0, ...u64(n)] })),
      fc
        .tuple(fc.constantFrom(1, 2), fc.array(account, { minLength: 3, maxLength: 6 }), amount)
        .map(([program, accounts, n]) => ({ program: at(program), accounts, data: [3, ...u64(n)] })),
      fc
        .tuple(fc.constantFrom(1, 2), fc.array(account, { minLength: 4, maxLength: 6 }), amount, fc.nat(18))
        .map(([program, accounts, n, decimals]) => ({ program: at(program), accounts, data: [12, ...u64(n), decimals] })),
      amount.map((n) => ({ program: at(3), data: [3, ...u64(n)] })),
      fc
        .tuple(fc.constantFrom(3, 4, 16, 17), fc.array(account, { minLength: 3, maxLength: 6 }), amount)
        .map(([tag, accounts, n]) => ({ program: at(5), accounts, data: [tag, 0, 0, 0, ...u64(n)] })),
      fc
        .tuple(fc.array(account, { minLength: 4, maxLength: 6 }), fc.nat(1))
        .map(([accounts, role]) => ({ program: at(5), accounts, data: [10, 0, 0, 0, role, 0, 0, 0] })),
      fc
        .tuple(fc.array(account, { minLength: 6, maxLength: 7 }), fc.constantFrom([], [0], [1]))
        .map(([accounts, data]) => ({ program: at(6), accounts, data })),
      fc.tuple(account, account, amount).map(([from, to, n]) => ({
        program: at(0),
        accounts: [from, to],
        data: [0, 0, 0, 0, ...u64(n), ...u64(0n), ...base58.decode(NEW_OWNER)],
      })),
      fc
        .tuple(fc.array(account, { maxLength: 5 }), fc.uint8Array({ maxLength: 150 }))
        .map(([accounts, data]) => ({ program: at(4), accounts, data })),
    );
    return fc.tuple(fc.constant(form), fc.array(instruction, { minLength: 1, maxLength: 5 }));
  })
  .map(([form, instructions]) => {
    const otherKeys = [...Array.from({ length: form.accounts - 1 }, (_, n) => key(n + 1)), ...programs];
    return hexToBytes(
      buildTransaction({
        ...(form.version !== undefined && { version: form.version }),
        header: [form.signers, form.readonlySigners, form.readonlyAccounts],
        otherKeys,
        instructions,
        lookups: form.tables.map((table, n) => ({ table: key(100 + n), ...table })),
      }),
    );
  })
  .filter((bytes) => bytes.length <= 1232);
