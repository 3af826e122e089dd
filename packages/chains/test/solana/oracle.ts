import { getCompiledTransactionMessageDecoder, getCompiledTransactionMessageEncoder } from '@solana/transaction-messages';
import { getTransactionDecoder } from '@solana/transactions';

/** What a second implementation reads from the same transaction. */
export interface OracleView {
  readonly messageBytes: Uint8Array;
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly requiredSignatures: number;
  readonly instructions: readonly {
    readonly program: string | undefined;
    readonly accountCount: number;
    readonly data: Uint8Array;
  }[];
  readonly lookups: readonly {
    readonly table: string;
    readonly writable: readonly number[];
    readonly readonly: readonly number[];
  }[];
  /** The message written again by the second implementation. */
  readonly reencoded: Uint8Array;
}

/** Reads a transaction with the packages of @solana/kit. Throws whatever they throw. */
export function oracleView(bytes: Uint8Array): OracleView {
  const messageBytes = new Uint8Array(getTransactionDecoder().decode(bytes).messageBytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  return {
    messageBytes,
    accountKeys: message.staticAccounts,
    recentBlockhash: message.lifetimeToken,
    requiredSignatures: message.header.numSignerAccounts,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      program: message.staticAccounts[programAddressIndex],
      accountCount: accountIndices?.length ?? 0,
      data: new Uint8Array(data ?? []),
    })),
    lookups: (('addressTableLookups' in message && message.addressTableLookups) || []).map((lookup) => ({
      table: lookup.lookupTableAddress,
      writable: lookup.writableIndexes,
      readonly: lookup.readonlyIndexes,
    })),
    reencoded: new Uint8Array(getCompiledTransactionMessageEncoder().encode(message)),
  };
}
