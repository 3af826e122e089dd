import type { PolicyValue } from '@countersign/policy';
import { bytesToHex } from '@noble/hashes/utils.js';
import { invalidTransaction } from '../../shared/refusal.ts';
import { ByteReader } from '../byte-reader.ts';
import type { Instruction } from '../message.ts';
import { BorshDecoder, type DecodedValues } from './borsh.ts';
import type { Idl } from './idl.ts';

/** A decoded instruction, with the names from the program's interface. */
export interface IdlCall {
  readonly name: string;
  readonly discriminatorHex: string;
  /** Without the accounts whose keys are in lookup tables. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly args: ReadonlyMap<string, PolicyValue>;
}

/**
 * Decodes an instruction against an interface. Throws ChainError INVALID_TRANSACTION unless exactly one instruction of the
 * interface fits and its arguments use every byte of the data. Adds the decoded values to `decoded`.
 */
export function decodeIdlCall(idl: Idl, instruction: Instruction, decoded: DecodedValues): IdlCall {
  const { data } = instruction;
  const found = idl.instructions.find(({ discriminator }) => discriminator.every((byte, index) => data[index] === byte));
  if (found === undefined) throw invalidTransaction('the data matches no instruction of the interface');
  const reader = new ByteReader(data.subarray(found.discriminator.length), `the data of ${found.name}`);
  const args = new BorshDecoder(idl, reader, decoded).named(found.args);
  reader.expectEnd();

  const accounts = new Map<string, string>();
  found.accounts.forEach(({ name, optional }, index) => {
    const account = instruction.accounts[index];
    if (account === undefined) throw invalidTransaction(`${found.name} has fewer accounts than the interface names`);
    // Anchor puts the program itself in place of an optional account that is left out.
    const left = optional && account.key === instruction.programKey;
    if (account.key !== undefined && !left) accounts.set(name, account.key);
  });
  return { name: found.name, discriminatorHex: bytesToHex(found.discriminator), accounts, args };
}
