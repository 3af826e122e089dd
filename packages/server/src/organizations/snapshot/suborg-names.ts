import type { Page, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { RecordBodies } from '../records.ts';
import type { Alarm } from './load.ts';

/** A sub-organization in a list. The name is absent if the stored one does not verify. */
export interface NamedSuborg {
  readonly organizationId: string;
  readonly organizationName?: string;
}

/** Pages of sub-organizations with their names. A page takes one query, regardless of its size. */
export interface SuborgNames {
  /** The sub-organizations of an entry in the parent's index, newest first. */
  page(parentId: string, kind: string, value: string, page: Page): Promise<readonly NamedSuborg[]>;
}

/**
 * SECURITY: only verifies that the service wrote each name for this organization under this parent. D241: the index is not authenticated,
 * so an entry may refer to an unrelated organization. A rolled-back name is detected when the organization itself is loaded.
 */
export function createSuborgNames(lookups: Store['lookups'], integrity: Integrity, alarm: Alarm): SuborgNames {
  return {
    async page(parentId, kind, value, page) {
      const found = await lookups.findOrganizations(parentId, kind, value, page);
      return found.map(({ id: organizationId, writtenBy = 0, mac, body }) => {
        const isOurs =
          body !== undefined &&
          mac !== undefined &&
          macsEqual(integrity.row('records', organizationId, 'organization', organizationId, writtenBy, body), mac);
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
