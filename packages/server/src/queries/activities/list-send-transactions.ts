import { canonicalAddress } from '@countersign/chains';
import { queries } from '@countersign/contract';
import type { z } from 'zod';
import { resolve } from '../../pipeline/query.ts';
import { canonicalChain } from '../chains/caip2.ts';
import { toPage } from '../page.ts';
import { showSend } from './get-send-transaction-status.ts';

type Output = z.output<typeof queries.listSendTransactions.output>;

/** Approximate number of bytes of the stored transactions that are in memory at a time. */
const PART_BYTES = 4_194_304;

export const listSendTransactions = resolve(queries.listSendTransactions, async (context, asked) => {
  const { sending, organization, endSlice } = context;
  const { caip2, address, paginationOptions } = asked;
  const filter = {
    ...(caip2 !== undefined && { chain: canonicalChain(caip2) }),
    ...(address !== undefined && { account: storedSpelling(address) }),
  };
  const page = toPage(paginationOptions);
  context.reserve(PART_BYTES);
  const parts: Output['transactions'][] = [];
  for await (const records of sending.pageParts(organization.id, filter, page)) {
    parts.push(records.map((record) => ({ sendTransactionStatusId: record.id, ...showSend(record, context) })));
    await endSlice();
  }
  // With only `before`, parts come oldest first.
  return { transactions: (page.before !== undefined && page.after === undefined ? parts.reverse() : parts).flat() };
});

/** The spelling of an address in stored transactions, which have Ethereum addresses in lower case. */
function storedSpelling(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? address.toLowerCase() : canonicalAddress(address);
}
