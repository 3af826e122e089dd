import { bytesToHex } from '@noble/hashes/utils.js';
import { formatUnits } from '../shared/text.ts';
import type { Fee } from './fee.ts';
import type { NetworkName } from './network.ts';
import type { OwnScript } from './own-scripts.ts';
import { destination } from './policy-view.ts';
import type { Output, Psbt } from './psbt.ts';

const BTC_DECIMALS = 8;
/** Further outputs appear as one sum, so the text stays readable. */
const MAX_LISTED_OUTPUTS = 20;

const btc = (satoshis: bigint) => `${formatUnits(satoshis, BTC_DECIMALS)} BTC`;

/** The transaction in words. Outputs that pay the signing key appear as change. */
export function describeTransaction(
  { outputs }: Psbt,
  network: NetworkName,
  scripts: ReadonlyMap<string, OwnScript>,
  fee: Fee,
): string {
  const change = outputs.filter(({ script }) => scripts.has(bytesToHex(script)));
  const payments = outputs.filter(({ script }) => !scripts.has(bytesToHex(script)));
  const rest = payments.slice(MAX_LISTED_OUTPUTS);
  const parts = payments.slice(0, MAX_LISTED_OUTPUTS).map((output) => describeOutput(output, network));
  if (rest.length > 0) parts.push(`send ${btc(sum(rest))} to ${rest.length} more outputs`);
  if (change.length > 0) parts.push(`return ${btc(sum(change))} to the signing key`);
  parts.push(fee.known ? `pay a fee of ${btc(fee.satoshis)}` : 'pay an unknown fee');
  return `${parts.join('; ')}${network === 'MAINNET' ? '' : ` (on ${network.toLowerCase()})`}`;
}

function describeOutput({ amount, script }: Output, network: NetworkName): string {
  const { type, address } = destination(script, network);
  if (address !== undefined) return `send ${btc(amount)} to ${address}`;
  if (type === 'OP_RETURN') return `write ${script.length} bytes of data${amount > 0n ? ` and destroy ${btc(amount)}` : ''}`;
  return `send ${btc(amount)} to an unusual script`;
}

function sum(outputs: readonly Output[]): bigint {
  return outputs.reduce((total, { amount }) => total + amount, 0n);
}
