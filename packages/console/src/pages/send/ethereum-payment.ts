import {
  ChainError,
  encodeFeeMarketTransaction,
  ethereumCoin,
  formatUnits,
  isAddress,
  shippedTokens,
  toChecksumAddress,
  withOwnTokens,
} from '@countersign/chains';
import type { StampedRequest } from '@countersign/client';
import type { Knowledge } from '../../review/types.ts';

/** Something that can be paid on a network. */
export interface PaidAsset {
  /** Its CAIP-19 name. */
  readonly id: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The contract of a token. */
  readonly contract?: string;
  /** Only the list of the organization names it. */
  readonly isOwn?: true;
}

/** The most to pay for the execution, in wei. */
export interface Fees {
  readonly gasLimit: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
}

/** What a person wants to pay. */
export interface Payment {
  readonly from: string;
  /** CAIP-2 name of the network. */
  readonly network: string;
  readonly to: string;
  readonly asset: PaidAsset;
  readonly amount: bigint;
  readonly fees: Fees;
}

const chainIdOf = (network: string) => BigInt(network.slice('eip155:'.length));

/** The coin of a network and its tokens: those that the console ships, then those of the organization. */
export function assetsOf(network: string, tokens: Knowledge['tokens']): readonly PaidAsset[] {
  const start = `${network}/erc20:`;
  const coin = ethereumCoin(chainIdOf(network));
  const own = new Map(tokens.filter(({ source }) => source === 'ORGANIZATION').map((token) => [token.asset, token]));
  // SECURITY: D962: symbols and decimals of shipped tokens are those of this browser, not of the service.
  const listed = withOwnTokens((id) => own.get(id));
  const ids = new Set([...shippedTokens.keys(), ...own.keys()].filter((id) => id.startsWith(start)));
  return [
    { id: coin.id, symbol: coin.symbol ?? 'coin', decimals: 18 },
    ...[...ids].flatMap((id): PaidAsset[] => {
      const info = listed(id);
      if (info === undefined) return [];
      const { symbol, decimals, definedBy } = info;
      return [{ id, symbol, decimals, contract: id.slice(start.length), ...(definedBy && { isOwn: true }) }];
    }),
  ];
}

/** An EVM address with its checksum. Undefined for other texts, and for a wrong checksum. */
export function readReceiver(text: string): string | undefined {
  const typed = text.trim();
  return /^0x[0-9a-fA-F]{40}$/.test(typed) && isAddress(typed) ? toChecksumAddress(typed) : undefined;
}

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER = 'a9059cbb';
const word = (digits: string) => digits.padStart(64, '0');

/** The call that moves the asset. */
function callOf({ to, asset: { contract }, amount }: Payment) {
  if (contract === undefined) return { to, value: amount, data: '0x' };
  const data = `0x${TRANSFER}${word(to.slice(2).toLowerCase())}${word(amount.toString(16))}`;
  return { to: toChecksumAddress(contract), value: 0n, data };
}

/** The request that signs a payment, with a nonce that the person states. Nothing is sent. */
export function signRequest(payment: Payment, nonce: bigint): Omit<StampedRequest, 'organizationId'> {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = payment.fees;
  const unsignedTransaction = encodeFeeMarketTransaction({
    ...callOf(payment),
    ...{ chainId: chainIdOf(payment.network), nonce, gas: BigInt(gasLimit) },
    ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
  });
  const parameters = { signWith: payment.from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
  return { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters };
}

/** The request that signs a payment and sends it. The service assigns the nonce. The name makes it happen once. */
export function sendRequest(payment: Payment, idempotencyKey: string): Omit<StampedRequest, 'organizationId'> {
  const { from, network, fees } = payment;
  const { to, value, data } = callOf(payment);
  const parameters = { from, caip2: network, to, value: value.toString(), data, ...fees, idempotencyKey };
  return { type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION', parameters };
}

/** The highest network fee of a payment in wei. */
export const highestFee = ({ gasLimit, maxFeePerGas }: Fees): bigint => BigInt(gasLimit) * BigInt(maxFeePerGas);

/** An amount in units of its asset. */
export const inUnits = (amount: bigint, { decimals }: Pick<PaidAsset, 'decimals'>): string => formatUnits(amount, decimals);

/** Whether an error says that a payment cannot be encoded. */
export const isUnbuildable = (error: unknown): error is ChainError => error instanceof ChainError;
