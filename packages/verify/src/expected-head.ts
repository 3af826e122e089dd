import type { ChainHead } from '@countersign/tlog';

/** A leaf as people note it: its number, a colon, and its hash in lower-case hex. */
export function formatHead({ sequence, leafHash }: ChainHead): string {
  return `${sequence}:${leafHash}`;
}

/** Reads what `formatHead` writes. Undefined for any other text. */
export function parseHead(text: string): ChainHead | undefined {
  const [, sequence, leafHash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined || leafHash === undefined ? undefined : { sequence: Number(sequence), leafHash };
}
