import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { NodeShares } from '../chain-nodes/node-shares.ts';
import type { ChainNodes } from '../chain-nodes/open-chain-nodes.ts';
import type { GasSponsor } from '../config/gas-sponsors.ts';
import type { Config } from '../config/settings.ts';
import { createSignal, type Signal } from '../notify/delivery/signal.ts';
import type { SendRow } from '../store/rows.ts';
import type { SendAccountKey, SendFilter } from '../store/send-store.ts';
import type { Page, Store } from '../store/store.ts';
import type { UsageHead } from '../store/usage-store.ts';
import type { ProveUsage } from '../usage/usage-cache.ts';
import type { Integrity } from '../vault/vault.ts';
import { bytesBucket, loggedKeys, nameBucket } from './logged-keys.ts';
import { readAccount, readSend, type SendAccount, type SendRecord } from './send-record.ts';

/** An account and its transactions without a final state, by nonce. */
export interface SendingAccount {
  /** Undefined if the service never sent from it. */
  readonly account: SendAccount | undefined;
  readonly active: readonly SendRecord[];
}

/** What requests need to know to send transactions. */
export interface Sending {
  /** The nodes of a chain. Throws NOT_OFFERED, naming the setting, if the operator configured none. */
  nodesOf(chain: string): ChainClient;
  account(key: SendAccountKey): Promise<SendingAccount>;
  get(organizationId: string, id: string): Promise<SendRecord | undefined>;
  /** A page of transactions, in parts that fit into memory: newest first, or with only `before`, the parts oldest first. */
  pageParts(organizationId: string, filter: SendFilter, page: Page): AsyncIterable<readonly SendRecord[]>;
  /** The newest transaction with a request key. */
  byRequestKey(organizationId: string, requestKey: string): Promise<SendRecord | undefined>;
  /** The newest transaction with a key of its bytes. */
  byBytesKey(organizationId: string, bytesKey: string): Promise<SendRecord | undefined>;
  /** The highest fee per unit of gas that the service suggests, in wei. */
  readonly maxFeePerGas: bigint;
  readonly confirmations: number;
  /** Who pays for fees that the sender does not have. */
  readonly sponsors: readonly GasSponsor[];
  /** Wakes the sender of this process. */
  readonly signal: Signal;
}

/** Sending for all tenants. */
export interface SendingService extends Sending {
  /** The same for the plans of one tenant, whose calls of nodes count in its share. */
  forTenant(tenantId: string): Sending;
  /** Throws RATE_LIMIT_EXCEEDED if a tenant has used up its share. */
  requireShare(tenantId: string): void;
}

interface SendingParts {
  readonly store: Pick<Store, 'sends'>;
  readonly integrity: Integrity;
  /** What the log knows of a key of a transaction. */
  readonly proveUsage: ProveUsage;
  readonly chainNodes: ChainNodes;
  /** The shares of tenants in the calls of plans. */
  readonly planShares: NodeShares;
  /** Called with the name of a limit that was exceeded. */
  onLimit(limit: string): void;
  tampered(organizationId: string, what: string): ServiceError;
}

/** Rows that are read at once. Each contains a signed transaction, of up to a quarter of a megabyte. */
const PART = 10;

const WEI_PER_GWEI = 1_000_000_000n;

/** SECURITY: D744: rows that this installation did not write are reported, and nothing is sent or shown by them. */
export function openSending(
  { sendMaxFeeGwei, sendConfirmations, gasSponsors }: Pick<Config, 'sendMaxFeeGwei' | 'sendConfirmations' | 'gasSponsors'>,
  { store, integrity, proveUsage, chainNodes, planShares, onLimit, tampered }: SendingParts,
): SendingService {
  const verified = <T>(found: T | undefined, organizationId: string, what: string): T => {
    if (found === undefined) throw tampered(organizationId, `${what} was changed or inserted outside the service`);
    return found;
  };
  /**
   * The newest transaction with a key, which the log must name. One that earlier releases sent is not in the log, and has no `nameUses`.
   * SECURITY: D948: without a row, the log must not name the key. Otherwise a retry of a payment whose row was deleted would pay again.
   */
  async function proven(
    organizationId: string,
    bucket: string,
    read: () => Promise<SendRow | undefined>,
  ): Promise<SendRecord | undefined> {
    const fault = (head: UsageHead | undefined) => proveUsage({ organizationId, bucket }, head, { withQueue: true });
    for (let row = await read(); ; ) {
      const sent = row && verified(readSend(integrity, row), organizationId, `the sent transaction ${row.id}`);
      const head = sent && loggedKeys(sent).find((key) => key.bucket === bucket)?.head;
      if ((await fault(head)) === undefined) return sent;
      if (sent !== undefined && (await fault(undefined)) === undefined) return { ...sent, nameUses: undefined };
      // Another process may have sent one between the reads.
      const again = await read();
      if (again?.id === row?.id)
        throw tampered(organizationId, 'a sent transaction is in the log, but was deleted or hidden in the database');
      row = again;
    }
  }
  const sending: Sending = {
    nodesOf: chainNodes.of,
    maxFeePerGas: BigInt(sendMaxFeeGwei) * WEI_PER_GWEI,
    confirmations: sendConfirmations,
    sponsors: gasSponsors,
    signal: createSignal(),
    async account(key) {
      const { organizationId, chain, account: address } = key;
      // The account first: a transaction that is added in between makes the commit fail.
      const row = await store.sends.account(key);
      const active = await store.sends.active(key);
      return {
        account: row && verified(readAccount(integrity, row), organizationId, `the account ${address} of ${chain}`),
        active: active.map((each) => verified(readSend(integrity, each), organizationId, `the sent transaction ${each.id}`)),
      };
    },
    async get(organizationId, id) {
      const row = await store.sends.get(organizationId, id);
      return row && verified(readSend(integrity, row), organizationId, `the sent transaction ${id}`);
    },
    async *pageParts(organizationId, filter, { limit, before, after }) {
      const isUpwards = before !== undefined && after === undefined;
      let cursors = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
      for (let missing = limit; missing > 0; missing -= PART) {
        const part = Math.min(PART, missing);
        const rows = await store.sends.page(organizationId, filter, { limit: part, ...cursors });
        // SECURITY: D950: a row that this installation did not write is reported, and no other one of the page is shown.
        yield rows.map((row) => verified(readSend(integrity, row), organizationId, `the sent transaction ${row.id}`));
        const last = (isUpwards ? rows.at(0) : rows.at(-1))?.id;
        if (last === undefined || rows.length < part) return;
        cursors = { ...cursors, ...(isUpwards ? { before: last } : { after: last }) };
      }
    },
    byRequestKey: (organizationId, requestKey) =>
      proven(organizationId, nameBucket(requestKey), () => store.sends.byRequestKey(organizationId, requestKey)),
    byBytesKey: (organizationId, bytesKey) =>
      proven(organizationId, bytesBucket(bytesKey), () => store.sends.byBytesKey(organizationId, bytesKey)),
  };
  return {
    ...sending,
    forTenant: (tenantId) => ({ ...sending, nodesOf: (chain) => planShares.of(chainNodes.of(chain), tenantId) }),
    requireShare(tenantId) {
      const waitMs = planShares.waitMs(tenantId);
      if (waitMs === 0) return;
      onLimit('chainSendsPerOrganization');
      throw new ServiceError(
        'RATE_LIMIT_EXCEEDED',
        'The organization asked the nodes of chains too much in a short time (chainSendsPerOrganization). Nothing was sent. Retry after the time in Retry-After.',
        { retryAtMs: Date.now() + waitMs },
      );
    },
  };
}
