import { bytesToHex } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { signer } from './support.ts';

/** A length in its shortest form; give bytes instead wherever a test wants another form. */
export type Length = number | readonly number[];

export interface RawInstruction {
  readonly program: number;
  readonly accounts?: readonly number[];
  readonly data?: readonly number[] | Uint8Array;
  readonly accountsLength?: Length;
  readonly dataLength?: Length;
}

export interface RawMessage {
  readonly version?: number;
  readonly header?: readonly [number, number, number];
  /** The signer is always the first key. */
  readonly otherKeys?: readonly string[];
  readonly keysLength?: Length;
  readonly instructions?: readonly RawInstruction[];
  readonly lookups?: readonly {
    readonly table: string;
    readonly writable: readonly number[];
    readonly readonly: readonly number[];
  }[];
  readonly trailing?: readonly number[];
  readonly slots?: readonly Uint8Array[];
}

export const SYSTEM = '11111111111111111111111111111111';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

/** A key that is nobody's, told apart by a number. */
export const key = (n: number) => base58.encode(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 200 : n)));

export const emptySlot = new Uint8Array(64);

export function shortLength(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...shortLength(value >> 7)];
}

const length = (value: Length) => (typeof value === 'number' ? shortLength(value) : [...value]);

/** The message alone, as bytes: whatever the test asks for, right or wrong. */
export function buildMessage(raw: RawMessage): number[] {
  const keys = [base58.encode(signer.publicKey), ...(raw.otherKeys ?? [key(1), SYSTEM])];
  const instructions = raw.instructions ?? [{ program: 2, accounts: [0, 1], data: [2, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0] }];
  return [
    ...(raw.version === undefined ? [] : [raw.version]),
    ...(raw.header ?? [1, 0, 1]),
    ...length(raw.keysLength ?? keys.length),
    ...keys.flatMap((text) => [...base58.decode(text)]),
    ...new Array(32).fill(9),
    ...length(instructions.length),
    ...instructions.flatMap(({ program, accounts = [], data = [], accountsLength, dataLength }) => [
      program,
      ...length(accountsLength ?? accounts.length),
      ...accounts,
      ...length(dataLength ?? data.length),
      ...data,
    ]),
    ...(raw.version === undefined
      ? []
      : [
          ...length(raw.lookups?.length ?? 0),
          ...(raw.lookups ?? []).flatMap(({ table, writable, readonly }) => [
            ...base58.decode(table),
            ...length(writable.length),
            ...writable,
            ...length(readonly.length),
            ...readonly,
          ]),
        ]),
    ...(raw.trailing ?? []),
  ];
}

/** A whole transaction in hex. */
export function buildTransaction(raw: RawMessage): string {
  const slots = raw.slots ?? new Array(raw.header?.[0] ?? 1).fill(emptySlot);
  return bytesToHex(Uint8Array.from([...shortLength(slots.length), ...slots.flatMap((slot) => [...slot]), ...buildMessage(raw)]));
}

/** A u64 in little-endian bytes. */
export function u64(value: bigint): number[] {
  return Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}
