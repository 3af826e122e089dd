import { ServiceError } from '@countersign/contract';
import type { ChainNamespace } from '../../config/chain-endpoints.ts';
import { ethereumHistory } from './ethereum-history.ts';
import type { ReadHistory } from './history.ts';
import { solanaHistory } from './solana-history.ts';

const notOffered = (why: string): ReadHistory =>
  async function refuse({ chain }) {
    throw new ServiceError('NOT_OFFERED', `Nodes of ${chain} ${why} Use a block explorer or your own index.`);
  };

/** How the past of an address is listed, by CAIP-2 namespace. SECURITY: D933: people act on it, so endpoints must agree. */
export const historyReaders: { readonly [Name in ChainNamespace]: ReadHistory } = {
  eip155: ethereumHistory,
  solana: solanaHistory,
  bip122: notOffered('have no index of addresses, so this server cannot list transactions there.'),
  tron: notOffered('have no call that lists the transactions of an address, so this server cannot list them there.'),
};
