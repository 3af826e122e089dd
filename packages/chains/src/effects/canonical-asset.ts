import { addressFormats } from '../addresses/address-formats.ts';
import { bitcoinChainIds } from '../bitcoin/effects.ts';
import { ChainError } from '../errors.ts';
import { coinOf } from '../ethereum/calls/assets.ts';
import { normalizeEthereumAddress } from '../ethereum/index.ts';
import { SOL } from '../solana/assets.ts';
import { TRX } from '../tron/assets.ts';
import type { Asset } from './effect.ts';
import type { TokenInfo, TokenList } from './token-list.ts';

/** Kinds of asset by the beginning of their CAIP-19 names, and the one spelling of what follows. */
const kinds: readonly { readonly prefix: RegExp; readonly normalize: (reference: string) => string | undefined }[] = [
  { prefix: /^eip155:[1-9]\d{0,18}\/erc(20|721|1155):/, normalize: normalizeEthereumAddress },
  { prefix: /^eip155:[1-9]\d{0,18}\/slip44:/, normalize: only('60') },
  { prefix: /^solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\/token:/, normalize: addressFormats.ADDRESS_FORMAT_SOLANA.normalize },
  { prefix: /^solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\/slip44:/, normalize: only('501') },
  { prefix: /^tron:0x2b6653dc\/trc20:/, normalize: addressFormats.ADDRESS_FORMAT_TRON.normalize },
  { prefix: /^tron:0x2b6653dc\/trc10:/, normalize: (number) => (/^[1-9]\d{0,18}$/.test(number) ? number : undefined) },
  { prefix: /^tron:0x2b6653dc\/slip44:/, normalize: only('195') },
  { prefix: new RegExp(`^bip122:(?:${Object.values(bitcoinChainIds).join('|')})/slip44:`), normalize: only('0') },
];

function only(reference: string): (text: string) => string | undefined {
  return (text) => (text === reference ? text : undefined);
}

/** The CAIP-19 name of a coin or token in the form that effects have; undefined for assets that no effect can name. */
export function canonicalAsset(text: string): string | undefined {
  for (const { prefix, normalize } of kinds) {
    const [start] = prefix.exec(text) ?? [];
    if (start === undefined) continue;
    try {
      const reference = normalize(text.slice(start.length));
      return reference === undefined ? undefined : start + reference;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return undefined;
    }
  }
  return undefined;
}

/** What is known of an asset by its canonical name: of coins by themselves, of tokens from a list. */
export function assetInfo(id: string, tokens: TokenList): Partial<TokenInfo> | undefined {
  const [chain = '', reference = ''] = id.split('/');
  if (!reference.startsWith('slip44:')) return tokens(id);
  const coin: Asset | undefined = chain.startsWith('eip155:') ? coinOf(BigInt(chain.slice('eip155:'.length))) : undefined;
  const { symbol, decimals } = coin ?? (id === SOL.id ? SOL : id === TRX.id ? TRX : { symbol: 'BTC', decimals: 8 });
  return { ...(symbol !== undefined && { symbol }), ...(decimals !== undefined && { decimals }) };
}
