import { bitcoinTransactions } from './bitcoin.ts';
import { ethereumTransactions } from './ethereum.ts';
import { messages } from './messages.ts';
import type { HostileSignature } from './placeholders.ts';
import { solanaTransactions } from './solana.ts';
import { tronTransactions } from './tron.ts';

/** Every hostile signing request, as `conformance/policies/hostile-signatures.json` contains them. */
export const hostileSignatures: readonly HostileSignature[] = [
  ...ethereumTransactions,
  ...messages,
  ...solanaTransactions,
  ...tronTransactions,
  ...bitcoinTransactions,
];
