import { invalidTransaction } from '../shared/refusal.ts';
import type { OwnInput } from './own-inputs.ts';
import type { Psbt } from './psbt.ts';

/** The fee in satoshis, or why the fee is uncertain. */
export type Fee = { readonly known: true; readonly satoshis: bigint } | { readonly known: false; readonly reason: string };

/**
 * The fee that the transaction pays to miners.
 *
 * SECURITY: a segwit v0 signature commits only to the amount of its own input. A caller who asks twice, each time with a
 * different wrong amount, gets signatures that together pay a fee nobody saw (CVE-2020-14199). So the fee counts as known only
 * in two cases: the previous transaction proves every amount except one, and our own signature commits to that one; or one of
 * our signatures is a Taproot signature, which commits to all amounts (BIP-341).
 */
export function feeOf({ inputs, outputs }: Psbt, own: readonly OwnInput[]): Fee {
  const missing = inputs.findIndex(({ spent }) => spent === undefined);
  if (missing >= 0) return { known: false, reason: `the fee is unknown: input ${missing} does not say what it spends` };
  const spent = inputs.reduce((sum, input) => sum + (input.spent?.amount ?? 0n), 0n);
  const satoshis = outputs.reduce((rest, { amount }) => rest - amount, spent);
  if (satoshis < 0n) throw invalidTransaction('the transaction spends more than its inputs hold');

  const ownIndexes = new Set(own.map(({ index }) => index));
  const unproven = inputs.flatMap(({ proven }, index) => (proven ? [] : [index]));
  const committed = unproven.length === 0 || (unproven.length === 1 && ownIndexes.has(unproven[0] as number));
  if (committed || own.some(({ script }) => script.kind === 'P2TR')) return { known: true, satoshis };
  return {
    known: false,
    reason: 'the fee is uncertain: include the whole previous transaction (non-witness UTXO) of every input',
  };
}
