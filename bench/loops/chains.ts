import { defaultTokens } from '@countersign/chains';
import { recoverPublicKey } from '../../packages/server/src/auth/api-key/recover-public-key.ts';
import { secp256k1Engine } from '../../packages/server/src/auth/api-key/secp256k1-engine.ts';
import { sha256 } from '../../packages/server/src/auth/parser-engines.ts';
import type { Loop } from './loop.ts';
import { readTransactions, type Transaction } from './transactions.ts';

/** The name of a transaction's loop. */
export function chainLoopName({ type, name }: Transaction): string {
  return `${type.id}: ${name}`;
}

/** One loop per transaction: from the text in a request to the vault's signing requests. */
export function chainLoops(): readonly Loop[] {
  return readTransactions().map((transaction) => {
    const { tweakPublicKey } = secp256k1Engine;
    const { type, unsigned, signer, interfaces } = transaction;
    const context = { signer, interfaces, tokens: defaultTokens, recoverPublicKey, sha256, tweakPublicKey };
    return {
      name: chainLoopName(transaction),
      once: () => void type.signingRequests(type.parse(unsigned, context), signer, sha256),
    };
  });
}
