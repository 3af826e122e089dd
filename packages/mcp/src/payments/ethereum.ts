import { addressBytes, encodeFeeMarketTransaction } from '@countersign/chains';
import { z } from 'zod';
import { AMOUNT, toBaseUnits } from './amount.ts';
import type { PaymentParts } from './parts.ts';

const GWEI_DECIMALS = 9;
const gwei = z.string().regex(AMOUNT, 'must be a decimal number as text, for example "1.5"');

/** What a signature for Ethereum needs and only the chain knows. Omit it if the service sends. */
export const ethereumFields = z.strictObject({
  nonce: z.int().min(0).describe('The number of transactions that the account has sent'),
  maxFeePerGasGwei: gwei.describe('The highest price of gas, in gwei'),
  maxPriorityFeePerGasGwei: gwei.optional().describe('The highest tip, in gwei. The whole price by default'),
  gasLimit: z.int().min(21_000).max(10_000_000).optional().describe('21000 for the coin and 100000 for tokens by default'),
});

type EthereumFields = z.output<typeof ethereumFields>;

/** The call that pays: a plain transfer of the coin, or `transfer(address,uint256)` of a token (ERC-20). */
export function ethereumCall({ asset, to, amount }: PaymentParts): {
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
} {
  const [, token] = asset.id.split('/erc20:');
  if (token === undefined) return { to, value: amount, data: '0x' };
  const receiver = (addressBytes('ethereum', to) ?? '').padStart(64, '0');
  return { to: token, value: 0n, data: `0xa9059cbb${receiver}${amount.toString(16).padStart(64, '0')}` };
}

/** The unsigned EIP-1559 transaction. */
export function ethereumPayment(parts: PaymentParts, fields: EthereumFields): string {
  const call = ethereumCall(parts);
  const maxFeePerGas = toBaseUnits(fields.maxFeePerGasGwei, GWEI_DECIMALS);
  const tip = fields.maxPriorityFeePerGasGwei;
  return encodeFeeMarketTransaction({
    chainId: BigInt(parts.asset.network.replace('eip155:', '')),
    nonce: BigInt(fields.nonce),
    maxFeePerGas,
    maxPriorityFeePerGas: tip === undefined ? maxFeePerGas : toBaseUnits(tip, GWEI_DECIMALS),
    gas: BigInt(fields.gasLimit ?? (call.data === '0x' ? 21_000 : 100_000)),
    ...call,
  });
}
