import { finished, mapInSteps, type Steps } from '@countersign/collections';
import type { ExactJsonValue } from '@countersign/strict-json';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { InterfaceBounds } from '../../parse-bounds.ts';
import { readJsonText } from '../../shared/json-text.ts';
import { invalidInterface } from '../../shared/refusal.ts';
import { fieldTypes, readDefinedTypes } from './defined-types.ts';
import { type IdlDefinition, type IdlFields, parseIdlFields } from './idl-type.ts';
import { asList, asObject, nameOf, requireUnique } from './json-shape.ts';

/** One instruction of a program: the first bytes of its data, its accounts in order, and its arguments. */
interface IdlInstruction {
  readonly name: string;
  readonly discriminator: Uint8Array;
  /** An account in a group has the group's name in front: `group.account`. */
  readonly accounts: readonly { readonly name: string; readonly optional: boolean }[];
  readonly args: Exclude<IdlFields, { kind: 'positional' }>;
}

/** An Anchor interface that can decode data: no unknown types, no cycles, no two instructions with the same first bytes. */
export interface Idl {
  readonly instructions: readonly IdlInstruction[];
  readonly types: ReadonlyMap<string, IdlDefinition>;
}

/** The longest accepted interface text, in characters. */
export const MAX_IDL_LENGTH = 400_000;

const DISCRIMINATOR_BYTES = 8;

/** Reads an IDL as `idlInSteps` does, without a pause. */
export function parseIdl(json: string): Idl {
  return finished(idlInSteps(json));
}

/**
 * Reads an Anchor IDL in the form before or since version 0.30.
 * Throws ChainError INVALID_INTERFACE for an IDL that could not decode data with exactly one meaning, or that exceeds the bounds.
 */
export function* idlInSteps(json: string, bounds?: InterfaceBounds): Steps<Idl> {
  const root = asObject(readJsonText(json, MAX_IDL_LENGTH, invalidInterface), 'the IDL');
  const types = asList(root.get('types'), 'the key "types" of the IDL');
  // Before Anchor 0.30, account types were listed with the accounts, and arguments could use them.
  const accounts = asList(root.get('accounts') ?? [], 'the key "accounts" of the IDL');
  const entries = [...types, ...accounts.filter((account) => account instanceof Map && account.has('type'))];
  const listed = asList(root.get('instructions'), 'the key "instructions" of the IDL');
  if (bounds !== undefined && listed.length > bounds.functions)
    throw invalidInterface(`more than ${bounds.functions} instructions; send only those that are called`);
  const instructions = yield* mapInSteps(listed, parseInstruction);
  requireUnique(
    instructions.map(({ name }) => name),
    'the IDL',
  );
  requireDistinctBeginnings(instructions);
  const roots = instructions.flatMap(({ args }) => fieldTypes(args));
  return { instructions, types: readDefinedTypes(entries, roots) };
}

/** The bytes that Anchor puts before the arguments: the first 8 of SHA-256 of `global:` and the name in snake case. */
export function anchorDiscriminator(instructionName: string): Uint8Array {
  return sha256(utf8ToBytes(`global:${snakeCase(instructionName)}`)).slice(0, DISCRIMINATOR_BYTES);
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

function parseInstruction(entry: ExactJsonValue): IdlInstruction {
  const object = asObject(entry, 'an instruction');
  const name = nameOf(object, 'an instruction');
  const accounts = parseAccounts(object.get('accounts'), name, '');
  requireUnique(
    accounts.map((account) => account.name),
    `the list of accounts of ${name}`,
  );
  const args = parseIdlFields(object.get('args'), name);
  if (args.kind === 'positional') throw invalidInterface(`the arguments of ${name} have no names`);
  return { name, discriminator: parseDiscriminator(object.get('discriminator'), name), accounts, args };
}

function parseAccounts(value: ExactJsonValue | undefined, instruction: string, prefix: string): IdlInstruction['accounts'] {
  return asList(value, `the key "accounts" of ${instruction}`).flatMap((entry) => {
    const account = asObject(entry, `an account of ${instruction}`);
    const name = prefix + nameOf(account, `an account of ${instruction}`);
    if (account.has('accounts')) return parseAccounts(account.get('accounts'), instruction, `${name}.`);
    return [{ name, optional: account.get('optional') === true || account.get('isOptional') === true }];
  });
}

function parseDiscriminator(value: ExactJsonValue | undefined, name: string): Uint8Array {
  if (value === undefined || value === null) return anchorDiscriminator(name);
  const bytes = asList(value, `the discriminator of ${name}`);
  if (bytes.length === 0 || !bytes.every((byte) => typeof byte === 'bigint' && byte >= 0n && byte <= 255n)) {
    throw invalidInterface(`the discriminator of ${name} is not a list of bytes`);
  }
  return Uint8Array.from(bytes, Number);
}

/** SECURITY: if one discriminator began with another, the same data would have two readings. */
function requireDistinctBeginnings(instructions: readonly IdlInstruction[]): void {
  const sorted = instructions.map(({ name, discriminator }) => ({ name, hex: bytesToHex(discriminator) }));
  // After sorting, a text that begins with another one follows it, with nothing unrelated between.
  sorted.sort((a, b) => (a.hex < b.hex ? -1 : 1));
  sorted.forEach(({ name, hex }, index) => {
    const next = sorted[index + 1];
    if (next?.hex.startsWith(hex)) throw invalidInterface(`the instructions ${name} and ${next.name} begin with the same bytes`);
  });
}
