import { base58 } from '@scure/base';
import type { TokenList } from '../../src/effects/token-list.ts';
import { type ParsedSolanaTransaction, solanaTransaction } from '../../src/solana/index.ts';
import { buildTransaction, type RawInstruction } from './message-builder.ts';
import { signer } from './support.ts';

/** The key that signs in every test, and pays. */
export const me = base58.encode(signer.publicKey);

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
export const RENT = 'SysvarRent111111111111111111111111111111111';
export const STAKE = 'Stake11111111111111111111111111111111111111';
export const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** An instruction by the keys of its program and accounts. */
export interface ProgramCall {
  readonly program: string;
  readonly accounts?: readonly string[];
  readonly data?: readonly number[] | Uint8Array;
}

/** A legacy transaction of these calls. The first key signs and pays; all others are only named. */
export function transactionOf(...calls: readonly ProgramCall[]): string {
  const others = [...new Set(calls.flatMap(({ program, accounts = [] }) => [...accounts, program]))].filter((key) => key !== me);
  const keys = [me, ...others];
  const instructions: RawInstruction[] = calls.map(({ program, accounts = [], data = [] }) => ({
    program: keys.indexOf(program),
    accounts: accounts.map((key) => keys.indexOf(key)),
    data,
  }));
  return buildTransaction({ header: [1, 0, 0], otherKeys: others, instructions });
}

/** Reads a transaction of these calls, with a token list if one is given. */
export function readCalls(calls: readonly ProgramCall[], tokens?: TokenList): ParsedSolanaTransaction {
  return solanaTransaction.parse(transactionOf(...calls), { signer, interfaces: [], ...(tokens && { tokens }) });
}

/** The effects of these calls, without the fee. */
export function effectsOf(calls: readonly ProgramCall[], tokens?: TokenList): readonly object[] {
  return readCalls(calls, tokens).effects.filter(({ kind }) => kind !== 'FEE');
}

export const bytesOf = (key: string) => [...base58.decode(key)];

/** A u32 in little-endian bytes. */
export const u32 = (value: number) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24];

/** bincode: a text with a u64 length. */
export const text = (value: string) => [value.length, 0, 0, 0, 0, 0, 0, 0, ...new TextEncoder().encode(value)];
