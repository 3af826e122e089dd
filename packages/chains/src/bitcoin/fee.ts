import { invalidTransaction } from '../shared/refusal.ts';
import type { OwnInput } from './own-inputs.ts';
import type { Psbt } from './psbt.ts';

/** The fee in satoshis, or why the fee is uncertain. */
export type Fee = { readonly known: true; readonly satoshis: bigint } | { readonly known: false; readonly reason: string };

/**
 * The fee that the transaction pays to miners.
 *
 * SECURITY: a caller may ask several times, lie about another amount each time, and combine the signatures that nodes accept
 * (CVE-2020-14199). So the fee counts as known only if each signature of this request is worthless unless every amount is true.
 * A previous transaction proves an amount, and a signature commits to some of the others:
 * - legacy: to none;
 * - segwit version 0 (BIP-143): to the amount of its input;
 * - Taproot (BIP-341): to the amounts and scripts of all inputs.
 * One Taproot input is therefore not enough if a segwit input is signed too. An unproven script is only a claim: the input
 * may be no Taproot input at all, and then the segwit signature is good while nothing vouches for the other amount.
 */
export function feeOf({ inputs, outputs }: Psbt, own: readonly OwnInput[]): Fee {
  const missing = inputs.findIndex(({ spent }) => spent === undefined);
  if (missing >= 0) return { known: false, reason: `the fee is unknown: input ${missing} does not say what it spends` };
  const spent = inputs.reduce((sum, input) => sum + (input.spent?.amount ?? 0n), 0n);
  const satoshis = outputs.reduce((rest, { amount }) => rest - amount, spent);
  if (satoshis < 0n) throw invalidTransaction('the transaction spends more than its inputs hold');

  const unproven = inputs.flatMap(({ proven }, index) => (proven ? [] : [index]));
  if (own.every((input) => unproven.every((index) => commitsToAmount(input, index)))) return { known: true, satoshis };
  return {
    known: false,
    reason: 'the fee is uncertain: include the whole previous transaction (non-witness UTXO) of every input',
  };
}

/** Whether the signature of an own input is worthless unless the amount of the input at `index` is as the PSBT says. */
function commitsToAmount({ index: own, script: { kind } }: OwnInput, index: number): boolean {
  if (kind === 'P2TR') return true;
  return kind !== 'P2PKH' && own === index;
}
