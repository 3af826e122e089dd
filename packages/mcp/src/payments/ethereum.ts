import { encodeFeeMarketTransaction, ethereumPaymentCall } from '@countersign/chains';
import { z } from 'zod';
import { AMOUNT, toBaseUnits } from './amount.ts';
import { orderOf, type PaymentParts } from './parts.ts';

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

/** The unsigned EIP-1559 transaction. */
export function ethereumPayment(parts: PaymentParts, fields: EthereumFields): string {
  const call = ethereumPaymentCall(orderOf(parts));
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
