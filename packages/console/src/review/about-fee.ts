import { bitcoinSpends } from '@countersign/chains';
import type { StampedRequest } from '@countersign/client';
import { highestFees } from '../data/highest-fees.ts';
import { words } from '../words/index.ts';
import { type Finding, grave, notable } from './finding.ts';
import { transfersOf } from './past.ts';
import { quantity } from './quantity.ts';
import type { Reading } from './types.ts';
import { withAmount } from './with-amount.ts';

const texts = words.approvals.unusualWords;

/** A fee of at most a tenth of the highest one is tiny. */
const TINY = 10n;

/**
 * A network fee that is unusually high.
 * SECURITY: D1101: the fee of a payment of next to nothing to a contact can consume the account.
 */
export function aboutFee({ effects, replaces }: Reading, { parameters }: StampedRequest): readonly Finding[] {
  const fee = effects.find(({ kind }) => kind === 'FEE');
  if (fee === undefined) return [];
  if (fee.amount === undefined) return [grave(texts.feeUnknown)];
  const [chain = ''] = fee.asset?.id.split(':') ?? [];
  const outputs = effects.filter(({ kind }) => kind === 'TRANSFER' || kind === 'CALL').length;
  const inputs = () => bitcoinSpends(String(parameters.unsignedTransaction)).outputs.length;
  const most = highestFees[chain]?.({ inputs: chain === 'bip122' ? inputs() : 0, outputs });
  if (most === undefined) return [];
  const amount = BigInt(fee.amount);
  if (amount > most) return [grave(texts.feeAbove(quantity(fee), quantity(withAmount(fee, most))))];
  const paid = transfersOf(effects);
  const isCoin = paid.length > 0 && paid.every((each) => each.asset?.id === fee.asset?.id && each.amount !== undefined);
  const total = paid.reduce((sum, each) => sum + BigInt(each.amount ?? 0), 0n);
  const isMore = isCoin && amount > total && amount * TINY > most && replaces?.kind !== 'CANCEL';
  return isMore ? [notable(texts.feeAboveAmount(quantity(fee), quantity(withAmount(fee, total))))] : [];
}
