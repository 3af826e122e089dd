import { addressBytes } from '../addresses/address-bytes.ts';
import { toChecksumAddress } from '../addresses/ethereum.ts';
import { type PaymentOrder, tokenOfOrder } from '../effects/payment-order.ts';
import { invalidTransaction } from '../shared/refusal.ts';

/** A call of an EVM chain. */
export interface PaymentCall {
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

/** The selector of `transfer(address,uint256)`, of ERC-20 and TRC-20. */
const TRANSFER = 'a9059cbb';
const WORD_DIGITS = 64;

/** The call data of a token transfer, in hexadecimal without 0x. The receiver is the bytes of an address, at most 20. Throws ChainError. */
export function transferCallData(receiver: string | undefined, amount: bigint): string {
  const digits = amount.toString(16);
  if (receiver === undefined || receiver.length > 40) throw invalidTransaction('the receiver is not an address of the chain');
  if (amount < 0n || digits.length > WORD_DIGITS) throw invalidTransaction('the amount does not fit 256 bits');
  return `${TRANSFER}${receiver.padStart(WORD_DIGITS, '0')}${digits.padStart(WORD_DIGITS, '0')}`;
}

/** The call that pays: a plain transfer of the coin, or `transfer(address,uint256)` of an ERC-20 token. Throws ChainError. */
export function ethereumPaymentCall(order: PaymentOrder): PaymentCall {
  const { to, amount } = order;
  const token = tokenOfOrder(order);
  if (token === undefined) return { to, value: amount, data: '0x' };
  return { to: toChecksumAddress(token), value: 0n, data: `0x${transferCallData(addressBytes('ethereum', to), amount)}` };
}
