import { toChecksumAddress } from '../addresses/ethereum.ts';
import { formatUnits } from '../shared/text.ts';
import type { Asset } from './effect.ts';

/** An amount in units of the asset where they are known, else in base units. */
export function formatQuantity({ asset, amount }: { readonly asset: Asset; readonly amount?: bigint }): string {
  const much =
    amount === undefined
      ? 'an unknown amount of'
      : asset.decimals === undefined
        ? `${grouped(amount.toString())} base units of`
        : grouped(formatUnits(amount, asset.decimals));
  // Without decimals "of" stands there already.
  const of = asset.symbol === undefined && amount !== undefined && asset.decimals !== undefined ? ' of' : '';
  return `${much}${of} ${nameOfAsset(asset)}`;
}

/** Any amount of an asset. */
export function formatUnlimited(asset: Asset): string {
  return `UNLIMITED ${asset.symbol === undefined ? 'amounts of ' : ''}${nameOfAsset(asset)}`;
}

/**
 * An asset as people read it: "USDC", "FOO (0x35…)", "ART (0x35…) no. 5", "the token 0x35…".
 * SECURITY: D457: only shipped tokens go without their contract. Anyone may have chosen the symbol of another.
 */
export function nameOfAsset({ id, kind, symbol, definedBy }: Asset): string {
  // CAIP-19: the third part names the piece of a collection.
  const [, asset = '', piece] = id.split('/');
  const number = kind === 'NFT' && piece !== undefined ? `no. ${piece}` : '';
  const contract = contractOf(asset);
  if (symbol !== undefined) return `${symbol}${definedBy === undefined ? '' : ` (${contract})`} ${number}`.trimEnd();
  if (kind === 'COIN') return 'the native coin';
  if (contract === 'unknown') return 'a token that the transaction does not name';
  const what = kind === 'NFT' ? 'the collection' : asset.startsWith('trc10:') ? 'the TRC-10 token' : 'the token';
  return `${number && `${number} of `}${what} ${contract}`;
}

/** The contract in the second part of a CAIP-19 name, on EVM networks with its EIP-55 checksum. */
function contractOf(asset: string): string {
  const reference = asset.slice(asset.indexOf(':') + 1);
  return /^0x[0-9a-f]{40}$/.test(reference) ? toChecksumAddress(reference) : reference;
}

/** Digits in groups of three before the point. */
function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
