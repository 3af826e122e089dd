import { invalidTransaction } from '../shared/refusal.ts';
import { ByteReader } from './byte-reader.ts';

/** Accounts that a version 0 message takes from one address lookup table. */
export interface TableLookup {
  readonly tableKey: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

/** One account as an instruction uses it. */
export interface InstructionAccount {
  /** Base58. Absent for an account from a table: its key is only on the chain, which a signer cannot read. */
  readonly key?: string;
  readonly signer: boolean;
  readonly writable: boolean;
  /** Where to find the key of an account from a table. */
  readonly lookup?: { readonly tableKey: string; readonly index: number };
}

export interface Instruction {
  readonly programKey: string;
  readonly accounts: readonly InstructionAccount[];
  readonly data: Uint8Array;
}

/** A message with every index resolved that does not need a lookup table. */
export interface Message {
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  /** The keys in the message itself. The fee payer comes first. */
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly Instruction[];
  readonly lookups: readonly TableLookup[];
}

/**
 * Reads a legacy or version 0 message that fills `bytes` exactly.
 * Refuses what the validator's sanitize step refuses: an index out of range, header counts that do not fit, a read-only fee
 * payer, a program from a lookup table or equal to the fee payer, an empty lookup. Also refuses duplicate account keys.
 */
export function parseMessage(bytes: Uint8Array): Message {
  const reader = new ByteReader(bytes, 'the message');
  const version = readVersion(bytes, reader);
  const requiredSignatures = reader.u8();
  const readonlySigned = reader.u8();
  const readonlyUnsigned = reader.u8();
  const accountKeys = list(reader, () => reader.key());
  if (requiredSignatures === 0 || readonlySigned >= requiredSignatures) {
    throw invalidTransaction('the message header leaves no writable signer to pay the fee');
  }
  if (requiredSignatures + readonlyUnsigned > accountKeys.length) {
    throw invalidTransaction('the message header counts more accounts than the message holds');
  }
  if (new Set(accountKeys).size !== accountKeys.length) throw invalidTransaction('the message names an account key twice');

  const recentBlockhash = reader.key();
  const compiled = list(reader, () => readCompiledInstruction(reader));
  const lookups = version === 0 ? list(reader, () => readLookup(reader)) : [];
  reader.expectEnd();
  if (compiled.length === 0) throw invalidTransaction('the message has no instructions');

  const accounts: InstructionAccount[] = accountKeys.map((key, index) => ({
    key,
    signer: index < requiredSignatures,
    writable:
      index < requiredSignatures ? index < requiredSignatures - readonlySigned : index < accountKeys.length - readonlyUnsigned,
  }));
  // The runtime appends all writable table accounts in lookup order, then all read-only ones.
  for (const { tableKey, writableIndexes } of lookups) accounts.push(...fromTable(tableKey, writableIndexes, true));
  for (const { tableKey, readonlyIndexes } of lookups) accounts.push(...fromTable(tableKey, readonlyIndexes, false));
  if (accounts.length > 256) throw invalidTransaction('the message uses more than 256 accounts');

  const instructions = compiled.map(({ programIndex, accountIndexes, data }) => {
    const programKey = accountKeys[programIndex];
    if (programKey === undefined) throw invalidTransaction('the program of an instruction is not among the account keys');
    if (programIndex === 0) throw invalidTransaction('an instruction names the fee payer as its program');
    return { programKey, accounts: accountIndexes.map((index) => accountAt(accounts, index)), data };
  });
  return { version, requiredSignatures, accountKeys, recentBlockhash, instructions, lookups };
}

function readVersion(bytes: Uint8Array, reader: ByteReader): 'legacy' | 0 {
  // A legacy signature count never has the high bit set, so that bit marks a versioned message.
  if (((bytes[0] ?? 0) & 0x80) === 0) return 'legacy';
  const version = reader.u8() & 0x7f;
  if (version !== 0) throw invalidTransaction(`message version ${version} is not supported: only legacy and 0 are`);
  return 0;
}

function list<T>(reader: ByteReader, read: () => T): T[] {
  const length = reader.compactU16();
  const items: T[] = [];
  for (let index = 0; index < length; index++) items.push(read());
  return items;
}

function readCompiledInstruction(reader: ByteReader) {
  const programIndex = reader.u8();
  const accountIndexes = [...reader.take(reader.compactU16())];
  return { programIndex, accountIndexes, data: reader.take(reader.compactU16()) };
}

function readLookup(reader: ByteReader): TableLookup {
  const tableKey = reader.key();
  const writableIndexes = [...reader.take(reader.compactU16())];
  const readonlyIndexes = [...reader.take(reader.compactU16())];
  const all = [...writableIndexes, ...readonlyIndexes];
  if (all.length === 0) throw invalidTransaction('an address table lookup takes no account');
  if (new Set(all).size !== all.length) throw invalidTransaction('an address table lookup takes one account twice');
  return { tableKey, writableIndexes, readonlyIndexes };
}

function fromTable(tableKey: string, indexes: readonly number[], writable: boolean): InstructionAccount[] {
  return indexes.map((index) => ({ signer: false, writable, lookup: { tableKey, index } }));
}

function accountAt(accounts: readonly InstructionAccount[], index: number): InstructionAccount {
  const account = accounts[index];
  if (account === undefined) throw invalidTransaction('an instruction uses an account index that is out of range');
  return account;
}
