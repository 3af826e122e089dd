import { canonicalAddress, chains, quoteText } from '@countersign/chains';
import type { EffectShape } from '@countersign/contract';
import type { Built, Payment } from './payment.ts';

/** The rent of a token account of Solana: 165 bytes. */
const MOST_RENT = 2_039_280n;
const SOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501';
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const MAIN_BITCOIN = 'bip122:000000000019d6689c085ae165831e93';

/**
 * Whether decoded effects are exactly one payment, with a fee of at most `mostFee`.
 * SECURITY: D961: the reader of approvers decodes the built bytes, and only a request that matches the choice of the person is submitted.
 */
export function isPayment(effects: readonly EffectShape[], payment: Payment, mostFee: bigint): boolean {
  const [fee, ...otherFees] = effects.filter(({ kind }) => kind === 'FEE');
  const [transfer, ...otherTransfers] = effects.filter(({ kind }) => kind === 'TRANSFER');
  const others = effects.filter(({ kind }) => kind !== 'FEE' && kind !== 'TRANSFER');
  const isFee = fee !== undefined && isSame(fee.from, payment.from) && isAtMost(fee.amount, mostFee);
  if (!isFee || transfer === undefined || otherFees.length + otherTransfers.length > 0) return false;
  if (new Set(others.map(({ kind }) => kind)).size !== others.length) return false;
  return isTransfer(transfer, payment) && isMemoShown(others, payment) && others.every((each) => isExpected(each, payment));
}

/** SECURITY: D982: addresses are compared as the chain compares them. Letters in upper and lower case differ, except in hexadecimal. */
const isSame = (a: string | undefined, b: string) => a !== undefined && canonicalAddress(a) === canonicalAddress(b);

const isAtMost = (amount: string | undefined, most: bigint) => amount !== undefined && BigInt(amount) <= most;

function isTransfer(transfer: EffectShape, payment: Payment): boolean {
  if (transfer.asset?.id !== payment.asset.id || transfer.amount !== payment.amount.toString()) return false;
  if (transfer.fee !== undefined) return false;
  if (!isTokenOnSolana(payment)) return isSame(transfer.from, payment.from) && isSame(transfer.to, payment.to);
  // SECURITY: D983: the transaction itself proves that the account is the receiver's: it creates it, or fails if another account owns it.
  return (
    transfer.from === tokenAccount(payment.from, payment) &&
    transfer.to === tokenAccount(payment.to, payment) &&
    transfer.owner === payment.to
  );
}

const isTokenOnSolana = ({ network, asset }: Payment) => network.startsWith('solana:') && asset.contract !== undefined;

const tokenAccount = (wallet: string, { asset }: Payment) => chains.solana.effects.holdsTokensOf?.(wallet, asset.id)[0];

/** Whether exactly the memo of a payment is on the chain. */
function isMemoShown(others: readonly EffectShape[], { memo }: Payment): boolean {
  const shown = others.find(({ kind }) => kind === 'CALL');
  return memo === undefined ? shown === undefined : shown?.what === `memo ${quoteText(memo)}`;
}

/** What a payment may do in addition to the transfer. */
function isExpected(effect: EffectShape, payment: Payment): boolean {
  switch (effect.kind) {
    case 'CALL':
      return payment.memo !== undefined && (effect.to === undefined || effect.to === MEMO_PROGRAM);
    case 'CREATE':
      return isTokenOnSolana(payment) && isReceiversAccount(effect, payment);
    case 'REPLAYABLE':
      // Signatures of Bitcoin name no network, which matters if the coins are those of a test network.
      return payment.network.startsWith('bip122:') && payment.network !== MAIN_BITCOIN && effect.lasting === undefined;
    default:
      return false;
  }
}

/** The token account of the receiver, which the payer pays for if it does not exist yet. */
function isReceiversAccount({ what, from, to, owner, asset, amount }: EffectShape, payment: Payment): boolean {
  const isOwn = what === 'ACCOUNT' && owner === payment.to && to === tokenAccount(payment.to, payment);
  return isOwn && from === payment.from && asset?.id === SOL && isAtMost(amount, MOST_RENT);
}

const types: Readonly<Record<string, RegExp>> = {
  eip155: /^ACTIVITY_TYPE_(ETH_SEND_TRANSACTION|SIGN_TRANSACTION_V2)$/,
  solana: /^ACTIVITY_TYPE_SOL_SEND_TRANSACTION$/,
  tron: /^ACTIVITY_TYPE_TRON_SEND_TRANSACTION$/,
  bip122: /^ACTIVITY_TYPE_(BITCOIN_SEND_TRANSACTION|SIGN_TRANSACTION_V2)$/,
};

/**
 * Whether a built request is for the account and the network of a payment.
 * SECURITY: D984: decoded bytes name no network on some chains, and are decoded for the account that was chosen. What the request itself names
 * decides who pays, and where.
 */
export function isRequestOf({ type, parameters }: Built, { from, network }: Payment): boolean {
  const { caip2, sponsor, recentBlockhash } = parameters;
  const isSigned = type === 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2';
  const isType = types[network.slice(0, network.indexOf(':'))]?.test(type) === true;
  const isOn = isSigned ? caip2 === undefined : caip2 === network;
  return (
    isType && isOn && (parameters.from ?? parameters.signWith) === from && sponsor === undefined && recentBlockhash === undefined
  );
}
