import { queries } from '@countersign/contract';
import type { z } from 'zod';
import { tokenStandards } from '../../chain-nodes/balances.ts';
import { historyReaders } from '../../chain-nodes/history/histories.ts';
import type { PastTransaction, PastTransfer } from '../../chain-nodes/history/history.ts';
import { resolve } from '../../pipeline/query.ts';
import { canonicalChain, chainEntry, requireAccount } from './caip2.ts';
import { readCursor, writeCursor } from './history-cursor.ts';
import { displayOf, type SupportedAsset, tokensOf } from './list-supported-assets.ts';

type Entry = z.output<typeof queries.listAddressTransactions.output>['entries'][number];

export const listAddressTransactions = resolve(queries.listAddressTransactions, async (context, asked) => {
  const { address, caip2, limit = '25', cursor } = asked;
  const chain = canonicalChain(caip2);
  const entry = chainEntry(chain);
  const reader = context.chainReader(chain);
  const { address: owned } = await requireAccount(context, entry, address);
  const scope = { chain, address: owned };
  const position = cursor === undefined ? undefined : readCursor(context, scope, cursor);
  const { coverage, entries, searched, unlistedBlock, next } = await historyReaders[reader.namespace](reader, owned, {
    limit: Number(limit),
    position,
  });
  const listed = new Map(tokensOf(context.organization, entry, chain).map((token) => [token.caip19, token]));
  const assetOf = ({ token }: PastTransfer): SupportedAsset => {
    const caip19 = `${chain}/${tokenStandards[reader.namespace]}:${token}`;
    return listed.get(caip19) ?? { caip19 };
  };
  return {
    coverage,
    entries: entries.map((each) => show(each, assetOf)),
    ...(searched !== undefined && { searched: { fromBlock: `${searched[0]}`, toBlock: `${searched[1]}` } }),
    ...(unlistedBlock !== undefined && { unlistedBlock: `${unlistedBlock}` }),
    ...(next !== undefined && { next: writeCursor(context, scope, next) }),
  };
});

function show(past: PastTransaction, assetOf: (transfer: PastTransfer) => SupportedAsset): Entry {
  const { hash, block, isFailed = false, atSeconds, memo, transfer } = past;
  return {
    transactionHash: hash,
    block: `${block}`,
    ...(atSeconds !== undefined && { timestamp: { seconds: `${atSeconds}`, nanos: '0' } }),
    status: isFailed ? 'FAILED' : 'SUCCEEDED',
    ...(memo !== undefined && { memo }),
    ...(transfer !== undefined && { transfer: showTransfer(transfer, assetOf(transfer)) }),
  };
}

/** SECURITY: D937: names and decimals come from lists of the service and the organization, never from the contract. */
function showTransfer({ from, to, amount, logIndex }: PastTransfer, asset: SupportedAsset) {
  return { ...asset, from, to, amount: `${amount}`, ...displayOf(asset, amount), logIndex: `${logIndex}` };
}
