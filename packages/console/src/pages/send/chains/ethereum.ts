import { encodeFeeMarketTransaction, ethereumPaymentCall, isAddress, toChecksumAddress } from '@countersign/chains';
import { MOST_GAS_FEE, MOST_GWEI } from '../../../data/highest-fees.ts';
import { networks } from '../../../data/networks.ts';
import { type Draft, feeAmount, type Suggestion, suggestedFor } from '../draft.ts';
import type { Built, PaidAsset, Payment } from '../payment.ts';
import type { PaymentChain } from '../payment-chain.ts';

/** The most to pay for the execution, in wei. */
export interface EthereumFees {
  readonly gasLimit: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
}

export type EthereumPayment = Payment<EthereumFees>;

const ZERO = `0x${'0'.repeat(40)}`;
const GWEI_DECIMALS = 9;

const evmNetworks = Object.keys(networks).filter((network) => network.startsWith('eip155:'));

/** Payments on EVM chains. */
export const ethereumPayments: PaymentChain<EthereumFees> = {
  networksOf: (addressFormat) => (addressFormat === 'ADDRESS_FORMAT_ETHEREUM' ? evmNetworks : []),
  readReceiver,
  isNobody: (to) => to === ZERO,
  feesOf,
  build(payment, { nonce, idempotencyKey }) {
    return nonce === undefined ? sendRequest(payment, idempotencyKey as string) : signRequest(payment, nonce);
  },
  mostFee: ({ fees }) => highestFee(fees),
  sends: 'ethSendTransaction',
  withoutNode: 'NONCE',
};

/** An EVM address with its checksum. Undefined for other texts, and for a wrong checksum. */
export function readReceiver(text: string): string | undefined {
  const typed = text.trim();
  return /^0x[0-9a-fA-F]{40}$/.test(typed) && isAddress(typed) ? toChecksumAddress(typed) : undefined;
}

/** The call that moves the asset. */
const callOf = ({ from, to, asset: { id, decimals }, amount }: EthereumPayment) =>
  ethereumPaymentCall({ from, to, asset: id, decimals, amount });

/** The request that signs a payment, with a nonce that the person states. Nothing is sent. */
export function signRequest(payment: EthereumPayment, nonce: bigint): Built {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = payment.fees;
  const unsignedTransaction = encodeFeeMarketTransaction({
    ...callOf(payment),
    ...{ chainId: BigInt(payment.network.slice('eip155:'.length)), nonce, gas: BigInt(gasLimit) },
    ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
  });
  const parameters = { signWith: payment.from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
  return { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters };
}

/** The request that signs a payment and sends it. The service assigns the nonce. The name makes it happen once. */
export function sendRequest(payment: EthereumPayment, idempotencyKey: string): Built {
  const { from, network, fees } = payment;
  const { to, value, data } = callOf(payment);
  const parameters = { from, caip2: network, to, value: value.toString(), data, ...fees, idempotencyKey };
  return { type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION', parameters };
}

/** The highest network fee of a payment in wei. */
export const highestFee = ({ gasLimit, maxFeePerGas }: EthereumFees): bigint => BigInt(gasLimit) * BigInt(maxFeePerGas);

/** Gas for a transfer, also to a contract with a short receive function. Unused gas is not paid. */
export const usualGas = ({ contract }: Pick<PaidAsset, 'contract'>): string => (contract === undefined ? '60000' : '150000');

/** The fees of a draft: those of the chosen speed, or the typed ones. Undefined while they are incomplete or too high. */
export function feesOf(draft: Draft, asset: PaidAsset, suggestions: readonly Suggestion[] | undefined): EthereumFees | undefined {
  const suggested = suggestedFor(draft, suggestions);
  // SECURITY: D1133: the field of the gas limit is shown only without a suggested fee. A value from before does not count.
  const typedGas = suggested?.maxFeePerGas === undefined ? draft.gasLimit.trim() : '';
  const gasLimit = typedGas === '' ? usualGas(asset) : typedGas;
  if (!/^[1-9]\d{4,7}$/.test(gasLimit)) return undefined;
  const most = suggested?.maxFeePerGas === undefined ? wei(draft.maxFee) : BigInt(suggested.maxFeePerGas);
  // A chain without a base fee has one price. It is the whole fee for the validator.
  const given = suggested === undefined ? wei(draft.priorityFee) : BigInt(suggested.maxPriorityFeePerGas ?? most ?? 0n);
  if (most === undefined || given === undefined || most === 0n || given > most) return undefined;
  const fees = { gasLimit, maxFeePerGas: most.toString(), maxPriorityFeePerGas: given.toString() };
  return isTooHigh(most) || highestFee(fees) > MOST_GAS_FEE ? undefined : fees;
}

export const isTooHigh = (maxFeePerGas: bigint): boolean => maxFeePerGas > MOST_GWEI * 10n ** BigInt(GWEI_DECIMALS);

/** An amount of gwei in wei. */
export const wei = (text: string): bigint | undefined => feeAmount(text, GWEI_DECIMALS);
