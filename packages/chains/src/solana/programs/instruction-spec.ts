import type { PolicyValue } from '@countersign/policy';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Effect } from '../../effects/effect.ts';
import type { TokenList } from '../../effects/token-list.ts';
import { invalidTransaction } from '../../shared/refusal.ts';
import { ByteReader } from '../byte-reader.ts';
import type { Instruction, InstructionAccount } from '../message.ts';

/**
 * What an instruction can move that the lists of transfers in policies must show.
 * - `none`: nothing beyond fees and rent, such as a memo or a compute limit
 * - `transfer`: exactly the movement that `transfers` or `spl_transfers` lists
 * - `other`: anything else; a list of transfers would not tell the whole story
 */
export type Moves = 'none' | 'transfer' | 'other';

/** Reads one argument. Undefined means that an optional value is missing; the argument is then absent. */
type ArgumentReader = (reader: ByteReader) => PolicyValue | undefined;

/** A movement of lamports or tokens, by the spec's names of accounts and arguments. */
type TransferRoles =
  | { readonly kind: 'lamports'; readonly from: string; readonly to: string; readonly amount: string }
  | {
      readonly kind: 'tokens';
      readonly from: string;
      readonly to: string;
      readonly amount: string;
      readonly owner: string;
      readonly mint?: string;
    };

/** One instruction of a built-in program, as data: its tag bytes, the arguments after them, and the accounts in order. */
export interface InstructionSpec {
  readonly name: string;
  readonly tag: readonly number[];
  readonly args?: Readonly<Record<string, ArgumentReader>>;
  readonly accounts?: readonly string[];
  /** An account that may stand before the one at `at`, and is not among `accounts`. Newer clients leave it out. */
  readonly sysvar?: { readonly at: number; readonly key: string };
  readonly moves: Moves;
  readonly transfer?: TransferRoles;
  /** Everything that the instruction does. INVARIANT: never nothing, except for compute limits, which the fee tells. */
  effects(call: Call, reading: Reading): readonly Effect[];
  /** Why the effects do not tell everything that the instruction may do. Undefined if they do. */
  unparsed?(call: Call, reading: Reading): string | undefined;
}

/** What effects depend on beyond the instruction itself. */
export interface Reading {
  readonly signerKey: string;
  readonly tokens?: TokenList | undefined;
}

/** A program and the instructions that it knows. */
export interface ProgramSpec {
  readonly name: string;
  readonly keys: readonly string[];
  /** Policies of language 1 were written when this program needed a stored interface. */
  readonly newInLanguage2?: true;
  readonly instructions: readonly InstructionSpec[];
}

/** A decoded instruction, read by the names of its spec. */
export class Call {
  readonly spec: InstructionSpec;
  readonly programKey: string;
  readonly discriminatorHex: string;
  readonly args: ReadonlyMap<string, PolicyValue>;
  /** The named accounts, without those whose keys are in lookup tables. */
  readonly accounts: ReadonlyMap<string, string>;
  /** The accounts beyond the named ones. */
  readonly extraAccounts: readonly InstructionAccount[];
  /** Signers beyond the named accounts: the members of a multisig who sign for its owner. */
  readonly extraSigners: readonly string[];

  constructor(spec: InstructionSpec, instruction: Instruction, args: ReadonlyMap<string, PolicyValue>) {
    const names = spec.accounts ?? [];
    this.spec = spec;
    this.programKey = instruction.programKey;
    this.discriminatorHex = bytesToHex(Uint8Array.from(spec.tag));
    this.args = args;
    const named = new Map<string, string>();
    for (const [index, name] of names.entries()) {
      const found = instruction.accounts[index]?.key;
      if (found !== undefined) named.set(name, found);
    }
    this.accounts = named;
    this.extraAccounts = instruction.accounts.slice(names.length);
    this.extraSigners = this.extraAccounts.flatMap(({ key, signer }) => (signer && key !== undefined ? [key] : []));
  }

  /** The key of a named account. Undefined if it is in a lookup table. */
  account(name: string): string | undefined {
    if (this.spec.accounts?.includes(name) !== true) throw new Error(`${this.spec.name} has no account ${name}`);
    return this.accounts.get(name);
  }

  amount(name: string): bigint {
    const value = this.args.get(name);
    if (typeof value !== 'bigint') throw new Error(`${this.spec.name} has no integer ${name}`);
    return value;
  }

  /** A key or a text. Undefined if it is optional and missing. */
  text(name: string): string | undefined {
    const value = this.args.get(name);
    return value === undefined ? undefined : String(value);
  }
}

/** An integer of `byteLength` bytes. */
const unsigned =
  (byteLength: number): ArgumentReader =>
  (reader) =>
    reader.unsigned(byteLength);

export const u8 = unsigned(1);
export const u16 = unsigned(2);
export const u32 = unsigned(4);
export const u64 = unsigned(8);

export const key: ArgumentReader = (reader) => reader.key();

/**
 * Decodes an instruction of a program that has a spec. Returns undefined for an instruction that the spec does not list, and for
 * one whose accounts have no certain place because one of them comes from a lookup table.
 * SECURITY: throws for a known tag with extra bytes after its arguments or with too few accounts. Programs ignore bytes they do
 * not need, so a transfer with one extra byte is still a transfer; it must not become "unknown".
 */
export function decodeInstruction(program: ProgramSpec, instruction: Instruction): Call | undefined {
  const spec = program.instructions.find(({ tag }) => tag.every((byte, index) => instruction.data[index] === byte));
  if (spec === undefined) return undefined;
  const subject = `the ${spec.name} instruction of the ${program.name} program`;
  const reader = new ByteReader(instruction.data.subarray(spec.tag.length), subject);
  const args = new Map<string, PolicyValue>();
  for (const [name, read] of Object.entries(spec.args ?? {})) {
    const value = read(reader);
    if (value !== undefined) args.set(name, value);
  }
  reader.expectEnd();
  const accounts = withoutSysvar(spec, instruction.accounts);
  if (accounts === undefined) return undefined;
  const needed = spec.accounts?.length ?? 0;
  if (accounts.length < needed) throw invalidTransaction(`${subject} needs ${needed} accounts, got ${accounts.length}`);
  return new Call(spec, { ...instruction, accounts }, args);
}

/** SECURITY: the program skips the sysvar only if it is there. Read otherwise, every account after it would be another one. */
function withoutSysvar({ sysvar }: InstructionSpec, accounts: Instruction['accounts']): Instruction['accounts'] | undefined {
  const candidate = sysvar === undefined ? undefined : accounts[sysvar.at];
  if (candidate === undefined) return accounts;
  if (candidate.key === undefined) return undefined;
  return candidate.key === sysvar?.key ? accounts.filter((_, index) => index !== sysvar.at) : accounts;
}
