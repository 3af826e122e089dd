import { base58 } from '@scure/base';

/** The part of a Solana transaction that lists of transactions show. */
export interface SolanaMessage {
  /** The accounts that the message names. Those of lookup tables are not among them. */
  readonly accounts: readonly string[];
  /** The texts for the Memo program as nodes write them. Null without one. */
  readonly memo: string | null;
}

const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** Reads the message of a signed transaction. */
export function readSolanaMessage(wire: Uint8Array): SolanaMessage {
  let at = 0;
  const byte = () => wire[at++] as number;
  const take = (length: number) => {
    at += length;
    return wire.subarray(at - length, at);
  };
  const compact = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  };
  take(64 * compact());
  // A versioned message begins with its version.
  if (((wire[at] as number) & 0x80) !== 0) byte();
  take(3);
  const accounts = Array.from({ length: compact() }, () => base58.encode(take(32)));
  take(32);
  const memos: string[] = [];
  for (let left = compact(); left > 0; left--) {
    const program = accounts[byte()];
    take(compact());
    const data = take(compact());
    if (program === MEMO_PROGRAM) memos.push(`[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  }
  return { accounts, memo: memos.length === 0 ? null : memos.join('; ') };
}
