import type { Page, Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import type { Alarm } from './load.ts';
import type { RecordBodies } from './records.ts';

/** A sub-organization in a list. Without a name where the stored one does not verify. */
export interface NamedSuborg {
  readonly organizationId: string;
  readonly organizationName?: string;
}

/** Pages of sub-organizations with their names. One statement reads a page, however many there are. */
export interface SuborgNames {
  /** The sub-organizations that an entry of the parent's index leads to, newest first. */
  page(parentId: string, kind: string, value: string, page: Page): Promise<readonly NamedSuborg[]>;
}

/**
 * SECURITY: checks that the service wrote each name for this very organization below this parent, and nothing else of it. D241: nothing
 * authenticates the index, so an entry in it may lead to an organization of somebody else. A name from before a renaming, put back in the
 * database, is found when the organization itself is read.
 */
export function createSuborgNames(lookups: Store['lookups'], integrity: Integrity, alarm: Alarm): SuborgNames {
  return {
    async page(parentId, kind, value, page) {
      const found = await lookups.findOrganizations(parentId, kind, value, page);
      return found.map(({ id: organizationId, mac, body }) => {
        const isOurs =
          body !== undefined &&
          mac !== undefined &&
          macsEqual(integrity.row('records', organizationId, 'organization', organizationId, body), mac);
        const profile = isOurs ? (JSON.parse(body) as RecordBodies['organization']) : undefined;
        if (profile?.parentId === parentId) return { organizationId, organizationName: profile.name };
        const what = isOurs
          ? 'another organization lists it as its own'
          : 'the record of the organization itself is missing or was changed outside the service';
        alarm(organizationId, what);
        return { organizationId };
      });
    },
  };
}
