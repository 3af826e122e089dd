import { createHash } from 'node:crypto';
import { networksOf, toChecksumAddress } from '@countersign/chains';
import { z } from 'zod';
import { Problem } from './problem.ts';

/** A way to pay that a server offers with status 402: an item of `accepts`. Versions 1 and 2 of https://x402.org. */
export const paymentRequirements = z.object({
  scheme: z.string().max(32),
  network: z.string().max(64).describe('CAIP-2, or a name of version 1 such as "base"'),
  asset: z.string().max(64).describe('The contract of the token'),
  payTo: z.string().max(64),
  amount: z.string().max(80).optional().describe('Version 2: in base units'),
  maxAmountRequired: z.string().max(80).optional().describe('Version 1: in base units'),
  maxTimeoutSeconds: z.int().min(1).max(86_400),
  extra: z.object({ name: z.string().max(64), version: z.string().max(16) }).describe('The EIP-712 domain of the token'),
});

export type PaymentRequirements = z.output<typeof paymentRequirements>;

/** The names of networks in version 1. */
const networkNames: Readonly<Record<string, number>> = {
  base: 8453,
  'base-sepolia': 84532,
  ethereum: 1,
  polygon: 137,
  'polygon-amoy': 80002,
  avalanche: 43114,
  'avalanche-fuji': 43113,
  arbitrum: 42161,
  optimism: 10,
};

/** An offer that was understood. */
export interface Offer {
  readonly chainId: number;
  readonly token: string;
  readonly payTo: string;
  /** In base units. */
  readonly value: bigint;
  readonly timeoutSeconds: number;
  readonly domain: { readonly name: string; readonly version: string };
}

const HOUR_SECONDS = 3_600;

/** Reads an offer. Throws Problem unless it is an exact payment by EIP-3009. */
export function readOffer(offer: PaymentRequirements): Offer {
  const { scheme, network, asset, payTo, amount, maxAmountRequired, maxTimeoutSeconds, extra } = offer;
  const refuse = (message: string) =>
    new Problem('OFFER_NOT_SUPPORTED', message, 'Choose another item of "accepts", or do not pay.');
  if (scheme !== 'exact') throw refuse('Only the scheme "exact" is supported.');
  const chainId = /^eip155:[1-9]\d{0,14}$/.test(network) ? Number(network.slice(7)) : networkNames[network];
  if (chainId === undefined) throw refuse('The network of the offer is not a known EVM network.');
  const value = amount ?? maxAmountRequired ?? '';
  if (!/^[1-9]\d{0,77}$/.test(value)) throw refuse('The offer has no amount in base units.');
  return {
    chainId,
    token: ethereumAddress(asset, refuse),
    payTo: ethereumAddress(payTo, refuse),
    value: BigInt(value),
    timeoutSeconds: Math.min(maxTimeoutSeconds, HOUR_SECONDS),
    domain: extra,
  };
}

function ethereumAddress(text: string, refuse: (message: string) => Problem): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text) || networksOf(text) === undefined)
    throw refuse('An address of the offer is not an Ethereum address.');
  return toChecksumAddress(text.toLowerCase());
}

/** EIP-3009, as the token takes it. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

/** Clocks of chains are behind. */
const BACKDATED_SECONDS = 600;

/**
 * The authorization that pays an offer. Its nonce is made from the reference, and a token takes a nonce of an account once: two
 * authorizations for one reference cannot both be used.
 */
export function authorize({ payTo, value, timeoutSeconds }: Offer, from: string, scope: string, nowMs: number): Authorization {
  const now = Math.floor(nowMs / 1_000);
  return {
    from,
    to: payTo,
    value: value.toString(),
    validAfter: String(now - BACKDATED_SECONDS),
    validBefore: String(now + timeoutSeconds),
    nonce: `0x${createHash('sha256').update(`countersign x402\n${scope}`).digest('hex')}`,
  };
}

const field = (name: string, type: string) => ({ name, type });

/** The typed data to sign. */
export function authorizationTypedData({ chainId, token, domain }: Offer, message: Authorization): string {
  return JSON.stringify({
    types: {
      EIP712Domain: [
        field('name', 'string'),
        field('version', 'string'),
        field('chainId', 'uint256'),
        field('verifyingContract', 'address'),
      ],
      TransferWithAuthorization: [
        field('from', 'address'),
        field('to', 'address'),
        field('value', 'uint256'),
        field('validAfter', 'uint256'),
        field('validBefore', 'uint256'),
        field('nonce', 'bytes32'),
      ],
    },
    primaryType: 'TransferWithAuthorization',
    domain: { ...domain, chainId, verifyingContract: token },
    message,
  });
}

/** The header to repeat the HTTP request with. */
export function paymentHeader(offer: PaymentRequirements, x402Version: 1 | 2, authorization: Authorization, signature: string) {
  const payload = { signature, authorization };
  const content =
    x402Version === 1
      ? { x402Version, scheme: offer.scheme, network: offer.network, payload }
      : { x402Version, accepted: offer, payload };
  return {
    name: x402Version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE',
    value: Buffer.from(JSON.stringify(content)).toString('base64'),
  };
}
