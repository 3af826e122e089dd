import type { Resources } from '../organizations/snapshot/resources.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { HistoryCursor } from './history-cursor.ts';
import type { History } from './history-reader.ts';
import type { PastDecision, PastView } from './past-case.ts';

/** The organization in which past requests are judged. */
export interface Past {
  /** Earlier decisions are not judged. */
  readonly knownSinceMs: number;
  /** Whether the stored decisions can be made again in it. Requests for which that fails are left out. */
  readonly isExact: boolean;
  /** The organization for a decision. Undefined if it lacks something that the decision depended on. */
  viewOf(decision: PastDecision): PastView | undefined | Promise<PastView | undefined>;
}

/** The organization as it was immediately before each decision. */
export function exactPast(history: History): Past {
  const cursor = new HistoryCursor(history);
  return { knownSinceMs: history.knownSinceMs, isExact: true, viewOf: ({ timestamp }) => cursor.at(timestamp) };
}

/**
 * The current organization. Its users, keys, contacts and tokens take the place of those of the time, so no history has to be read.
 * A request with an approval by a credential that is gone is left out: without it, the request would seem to be denied.
 */
export function presentPast(organization: Snapshot, resources: Resources): Past {
  const { id, apiKeys, authenticators } = organization;
  return {
    knownSinceMs: 0,
    isExact: false,
    async viewOf({ votes, stored }) {
      if (votes.some(({ credentialId }) => !apiKeys.has(credentialId) && !authenticators.has(credentialId))) return undefined;
      const { keyId, walletId, walletIds = [] } = stored.subject ?? {};
      const ids = [...walletIds, ...(walletId === undefined ? [] : [walletId])];
      const wallets = ids.length === 0 ? new Map() : await resources.walletsOf(id, ids);
      const key =
        keyId === undefined
          ? undefined
          : ((await resources.get(id, 'privateKey', keyId)) ?? (await resources.get(id, 'walletAccount', keyId)));
      return {
        organization: () => organization,
        key: (wanted) => (wanted === keyId ? key : undefined),
        wallet: (wanted) => wallets.get(wanted),
        secret(wanted) {
          const body = organization.records.secret.get(wanted);
          return body && { id: wanted, body };
        },
        // Looked up by its name among the current keys.
        signingKey: () => undefined,
      };
    },
  };
}
