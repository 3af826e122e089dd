import { isDeepStrictEqual } from 'node:util';
import type { ParseContext, ParsedTransaction, TransactionType } from '@countersign/chains';

/** Everything of a transaction that policies and people see. */
function seen(parsed: ParsedTransaction) {
  const { type, namespace, policy, effects, signer, description, fullyParsed, unparsed, fullyParsedByInterfaces } = parsed;
  return { type, namespace, policy, effects, signer, description, fullyParsed, unparsed, fullyParsedByInterfaces };
}

/**
 * Reads a transaction with the signatures inside of it. Throws unless it is what was allowed.
 * SECURITY: D1002: it is read as any other transaction, so an authorization counts as that of the account whose key made its signature.
 */
export function readAgain(
  type: Pick<TransactionType, 'parse'>,
  unsignedTransaction: string,
  context: ParseContext,
  allowed: ParsedTransaction,
): ParsedTransaction {
  const found = type.parse(unsignedTransaction, context);
  if (!isDeepStrictEqual(seen(found), seen(allowed)))
    throw new Error('with the signatures inside of it, a transaction differs from the one that was allowed');
  return found;
}
