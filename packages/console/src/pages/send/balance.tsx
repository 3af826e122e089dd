import { groupDigits } from '../../review/group-digits.ts';
import { words } from '../../words/index.ts';
import { readAmount } from './amount.ts';
import { inUnits, type PaidAsset } from './payment.ts';

const texts = words.send;

interface BalanceProps {
  asset: PaidAsset;
  /** What is to be paid. Undefined if it cannot be read. */
  amount: bigint | undefined;
  balances: readonly { readonly caip19: string; readonly balance: string }[] | undefined;
  isSent: boolean;
}

/** The balance that the service states. It changes nothing of the request. */
export function Balance({ asset, amount, balances, isSent }: BalanceProps) {
  if (balances === undefined) return isSent ? texts.unknownBalance : texts.noBalance;
  // The service omits tokens with a balance of 0.
  const balance = BigInt(balances.find(({ caip19 }) => caip19 === asset.id)?.balance ?? 0);
  const shown = `${groupDigits(inUnits(balance, asset))} ${asset.symbol}`;
  const isAbove = amount !== undefined && amount > balance;
  return isAbove ? <span className="text-bad">{texts.aboveBalance(shown)}</span> : texts.balance(shown);
}

/** A typed amount. Undefined if it cannot be read. */
export function amountIn(typed: string, { decimals }: PaidAsset): bigint | undefined {
  const amount = readAmount(typed, decimals);
  return typeof amount === 'bigint' ? amount : undefined;
}
