import { chainOfAsset } from '../chains.ts';
import type { Effect } from './effect.ts';

/** What a transaction can cost, in base units of the coin of its chain. Absent where the effects do not tell. */
export interface Cost {
  readonly maxFee?: bigint;
  /** The most that the signer can lose of the coin: fee, transfers, and what new accounts and contracts are given. */
  readonly maxCost?: bigint;
}

/**
 * The cost that effects add up to. `self` is the address that signs; without it every transfer counts as its own.
 * SECURITY: a cost is either a true upper bound or absent. An absent cost is an error in a policy, and an error grants nothing. The one
 * exception is the fee that rollups of the OP Stack and Scroll charge for data: no field of a transaction limits it, and it grows with the
 * bytes of the transaction alone.
 */
export function costOf(effects: readonly Effect[], self?: string): Cost {
  const fees = effects.filter((effect) => effect.kind === 'FEE');
  const coin = fees[0]?.asset.id;
  // Without a FEE effect, the fee is unknown and not zero.
  if (coin === undefined || fees.some(({ asset }) => asset.id !== coin)) return {};
  const maxFee = total(fees.map(({ amount }) => amount));
  if (maxFee === undefined) return {};
  const rules = chainOfAsset(coin)?.effects;
  const isBounded = ({ kind }: Effect) => kind !== 'UNKNOWN' && (kind !== 'CALL' || rules?.callsCanSpendMore !== true);
  if (!effects.every(isBounded)) return { maxFee };
  // A sender that the bytes do not name may be the signer.
  const own = (from: string | undefined) =>
    self === undefined || from === undefined || from === self || rules?.spendsFromOtherAddresses === true;
  const spent = effects.flatMap((effect) => {
    if (effect.kind === 'TRANSFER') {
      const back = self !== undefined && effect.to === self;
      return effect.asset.id === coin && own(effect.from) && !back ? [effect.amount] : [];
    }
    if (effect.kind !== 'CREATE' || effect.asset === undefined) return [];
    return effect.asset.id === coin && own(effect.from) ? [effect.amount] : [];
  });
  const maxCost = total([maxFee, ...spent]);
  return maxCost === undefined ? { maxFee } : { maxFee, maxCost };
}

function total(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}
