import { queries } from '@countersign/contract';
import { balanceReaders } from '../../chain-nodes/balances.ts';
import { resolve } from '../../pipeline/query.ts';
import { canonicalChain, chainEntry, requireAccount } from './caip2.ts';
import { coinOf, displayOf, type SupportedAsset, tokensOf } from './list-supported-assets.ts';

export const getWalletAddressBalances = resolve(queries.getWalletAddressBalances, async (context, { address, caip2 }) => {
  const chain = canonicalChain(caip2);
  const entry = chainEntry(chain);
  const reader = context.chainReader(chain);
  const { address: owned } = await requireAccount(context, entry, address);
  const listed = new Map(tokensOf(context.organization, entry, chain).map((token) => [referenceOf(token), token]));
  const { coin, tokens } = await balanceReaders[reader.namespace](reader, owned, [...listed.keys()]);
  return {
    balances: [
      show(coinOf(entry, chain), coin),
      ...tokens.map(({ reference, balance, program }) => ({
        ...show(listed.get(reference) as SupportedAsset, balance),
        ...(program !== undefined && { tokenProgram: program }),
      })),
    ],
  };
});

/** What follows the namespace of an asset: `0x…` of `eip155:1/erc20:0x…`. */
const referenceOf = ({ caip19 }: SupportedAsset) => caip19.slice(caip19.lastIndexOf(':') + 1);

function show(asset: SupportedAsset, balance: bigint) {
  return { ...asset, balance: balance.toString(), ...displayOf(asset, balance) };
}
