import { ChainError, transactionTypes } from '@countersign/chains';
import { activities, activityByType } from '@countersign/contract';
import { parserEngines } from '../auth/parser-engines.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';

/** The name of a signed transaction on its chain, if its signatures determine it. */
export function transactionHashOf({ type, intent, result }: ActivityRecord): { readonly transactionHash?: string } {
  if (result === null || intent === null || activityByType.get(type)?.definition !== activities.signTransaction) return {};
  const { type: transactionType } = intent as { readonly type: keyof typeof transactionTypes };
  const { signedTransaction } = result as { readonly signedTransaction: string };
  try {
    const transactionHash = transactionTypes[transactionType].hash(signedTransaction, parserEngines);
    return transactionHash === undefined ? {} : { transactionHash };
  } catch (error) {
    // A transaction that an older version signed, and that this one does not read.
    if (error instanceof ChainError) return {};
    throw error;
  }
}
