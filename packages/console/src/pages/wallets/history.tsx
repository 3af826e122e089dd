import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isNotOffered, messageOf } from '../../data/errors.ts';
import { networks } from '../../data/networks.ts';
import { ask } from '../../data/service-query.ts';
import { groupDigits } from '../../review/group-digits.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Loading, Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { TransactionHash } from '../../ui/transaction-hash.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { historyNetworks } from './history-networks.ts';

const texts = words.wallets.history;
type Page = OutputOf<Queries['listAddressTransactions']>;
type Entry = Page['entries'][number];

/** Past transactions of an account, as far as nodes list them. Nothing of it is proven, and the dialog says so. */
export function History({ address, addressFormat, onClose }: { address: string; addressFormat: string; onClose(): void }) {
  const offered = historyNetworks(addressFormat);
  const [caip2, setChain] = useState(offered[0] ?? '');
  return (
    <Dialog open wide onOpenChange={(open) => !open && onClose()} title={texts.title} text={texts.lead}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Code text={address} what={words.wallets.address} />
        {offered.length > 1 && (
          <SelectField
            label={words.send.network}
            value={caip2}
            onChange={setChain}
            options={offered.map((value) => ({ value, label: networks[value]?.label ?? value }))}
          />
        )}
        <Transactions key={caip2} address={address} caip2={caip2} />
      </div>
    </Dialog>
  );
}

/** Nodes are asked by a person, and not again with every entry of the log. */
function usePast(address: string, caip2: string) {
  const { reader } = useSession();
  return useInfiniteQuery({
    queryKey: ['bench', 'history', address, caip2],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(reader, 'listAddressTransactions', { address, caip2, ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
  });
}

function Transactions({ address, caip2 }: { address: string; caip2: string }) {
  const past = usePast(address, caip2);
  const pages = past.data?.pages ?? [];
  const [first] = pages;
  if (first === undefined) {
    if (past.error === null) return <Loading />;
    if (isNotOffered(past.error)) {
      return (
        <Notice tone="wait" title={texts.notOffered}>
          {messageOf(past.error)}
        </Notice>
      );
    }
    return <ErrorMessage error={past.error} retry={() => void past.refetch()} />;
  }
  const entries = pages.flatMap((page) => page.entries);
  const from = pages.at(-1)?.searched?.fromBlock;
  const unlisted = pages.flatMap(({ unlistedBlock }) => (unlistedBlock === undefined ? [] : [groupDigits(unlistedBlock)]));
  const isShort = past.hasNextPage && entries.length === 0;
  return (
    <>
      <p className="text-sm text-quiet">{texts.coverage[first.coverage]}</p>
      {entries.length === 0 ? (
        <p className="card px-4 py-3 text-quiet">{isShort ? texts.nothingYet : texts.nothing}</p>
      ) : (
        <ul aria-label={texts.title} className="card divide-y divide-line">
          {entries.map((entry) => (
            <li
              key={`${entry.transactionHash} ${entry.transfer?.logIndex ?? ''}`}
              className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-3"
            >
              <Line entry={entry} address={address} caip2={caip2} />
            </li>
          ))}
        </ul>
      )}
      {unlisted.length > 0 && (
        <Notice tone="wait" title={texts.unlistedBlocks}>
          {unlisted.join(', ')}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        {past.hasNextPage && (
          <Button busy={past.isFetchingNextPage} onClick={() => void past.fetchNextPage()}>
            {texts.earlier}
          </Button>
        )}
        <span role="status" className="text-sm text-quiet">
          {past.hasNextPage ? from !== undefined && texts.searchedTo(groupDigits(from)) : texts.complete}
        </span>
      </div>
      {past.isFetchNextPageError && <ErrorMessage error={past.error} />}
    </>
  );
}

function Line({ entry, address, caip2 }: { entry: Entry; address: string; caip2: string }) {
  const { transfer, status, block, timestamp, memo, transactionHash } = entry;
  return (
    <>
      <span className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="min-w-0 font-medium wrap-anywhere">
          {transfer ? <Name text={transferText(transfer, address)} /> : texts.transaction}{' '}
          {status === 'FAILED' && <Badge tone="bad">{texts.failed}</Badge>}
        </span>
        <span className="number text-sm text-quiet">
          {texts.block(groupDigits(block))} {timestamp && <When at={timestamp} />}
        </span>
      </span>
      {transfer && (
        <span className="text-sm text-quiet">
          {isTo(transfer, address) ? texts.from : texts.to}{' '}
          <Code text={isTo(transfer, address) ? transfer.from : transfer.to} what={words.wallets.address} />
        </span>
      )}
      {memo !== undefined && (
        <span className="text-sm wrap-anywhere text-quiet">
          {texts.memo} <Name text={memo} />
        </span>
      )}
      <TransactionHash hash={transactionHash} chain={caip2} />
    </>
  );
}

const isTo = ({ to }: NonNullable<Entry['transfer']>, address: string) => to.toLowerCase() === address.toLowerCase();

/** The amount in units of the token if a list names it. Otherwise the contract, and its smallest units. */
function transferText(transfer: NonNullable<Entry['transfer']>, address: string): string {
  const { caip19, symbol, amount, display } = transfer;
  const isNamed = symbol !== undefined && display !== undefined;
  const what = isNamed
    ? `${groupDigits(display.crypto)} ${symbol}`
    : texts.unlisted(groupDigits(amount), caip19.split(':').at(-1) ?? '');
  return isTo(transfer, address) ? texts.received(what) : texts.sent(what);
}
