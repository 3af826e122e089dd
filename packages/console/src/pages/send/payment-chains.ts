import { bitcoinPayments } from './chains/bitcoin.ts';
import { ethereumPayments } from './chains/ethereum.ts';
import { solanaPayments } from './chains/solana.ts';
import { tronPayments } from './chains/tron.ts';
import type { PaymentChain } from './payment-chain.ts';

/** How payments are made, by CAIP-2 namespace. The fees of a payment are those of its own entry. */
const paymentChains: Readonly<Record<string, PaymentChain>> = {
  eip155: ethereumPayments as PaymentChain,
  solana: solanaPayments as PaymentChain,
  tron: tronPayments as PaymentChain,
  bip122: bitcoinPayments as PaymentChain,
};

/** How payments on a network are made. */
export function paymentChainOf(network: string): PaymentChain {
  const found = paymentChains[network.slice(0, network.indexOf(':'))];
  if (found === undefined) throw new TypeError(`no payments are made on ${network}`);
  return found;
}

/** The networks on which an account pays, by their CAIP-2 names. */
export const networksOfFormat = (addressFormat: string): readonly string[] =>
  Object.values(paymentChains).flatMap((chain) => chain.networksOf(addressFormat));
