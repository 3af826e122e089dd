import { groupDigits } from '../../review/group-digits.ts';
import { words } from '../../words/index.ts';
import { readAmount } from './amount.ts';
import { inUnits, type PaidAsset } from './payment.ts';

const texts = words.send;

/** The balances of an account. The service omits assets with a balance of 0. */
type Balances = readonly { readonly caip19: string; readonly balance: string }[] | undefined;

interface BalanceProps {
  asset: PaidAsset;
  /** What is to be paid. Undefined if it cannot be read. */
  amount: bigint | undefined;
  balances: Balances;
  isSent: boolean;
}

const balanceOf = ({ id }: PaidAsset, balances: NonNullable<Balances>) =>
  BigInt(balances.find(({ caip19 }) => caip19 === id)?.balance ?? 0);

const written = (amount: bigint, asset: PaidAsset) => `${groupDigits(inUnits(amount, asset))} ${asset.symbol}`;

/** The balance that the service states. It changes nothing of the request. */
export function Balance({ asset, amount, balances, isSent }: BalanceProps) {
  if (balances === undefined) return isSent ? texts.unknownBalance : texts.noBalance;
  const balance = balanceOf(asset, balances);
  const shown = written(balance, asset);
  const isAbove = amount !== undefined && amount > balance;
  return isAbove ? <span className="text-bad">{texts.aboveBalance(shown)}</span> : texts.balance(shown);
}

interface FeeProps {
  /** The coin that fees are paid in. */
  coin: PaidAsset;
  /** What is paid in the coin itself. */
  amount: bigint;
  /** The highest fee. */
  fee: bigint;
  balances: Balances;
}

/** Warns if the balance that the service states does not pay the highest fee in addition to the amount. */
export function FeeFit({ coin, amount, fee, balances }: FeeProps) {
  if (balances === undefined) return null;
  const balance = balanceOf(coin, balances);
  if (amount > balance || amount + fee <= balance) return null;
  return <p className="text-sm text-bad">{texts.feeAboveBalance(written(balance, coin), written(fee, coin))}</p>;
}

/** A typed amount. Undefined if it cannot be read. */
export function amountIn(typed: string, { decimals }: PaidAsset): bigint | undefined {
  const amount = readAmount(typed, decimals);
  return typeof amount === 'bigint' ? amount : undefined;
}
