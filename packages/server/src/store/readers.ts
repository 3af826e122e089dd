import { activityColumns, activityListing } from './activity-listing.ts';
import { definePaged, newestFirst, pagedParams, toCursor } from './cursor.ts';
import { toActivity, toBytes, toDataKey, toHead, toInteger, toRecord, toResource, toSecret, toText } from './decode.ts';
import { toLookupKey } from './lookup-key.ts';
import { defineStatement, type Read, type Row } from './statement.ts';
import type { Store } from './store.ts';

const resourceColumns = 'organization_id, kind, id, parent_id, mac, body';
const headColumns = 'organization_id, parent_id, version, mac';

const head = defineStatement('head', `SELECT ${headColumns} FROM organizations WHERE organization_id = ?`);
/** One statement, so that all three parts are of one instant in both engines. */
const snapshot = defineStatement(
  'snapshot',
  `SELECT 0 AS part, '' AS kind, '' AS id, parent_id, version, mac, '' AS body FROM organizations WHERE organization_id = ?
   UNION ALL SELECT 1, kind, id, '', 0, mac, body FROM records WHERE organization_id = ?
   UNION ALL SELECT 2, '', '', '', 0, mac, '' FROM resources WHERE organization_id = ? AND parent_id = ''
   ORDER BY part, kind, id`,
);
const scan = defineStatement(
  'scan',
  'SELECT organization_id FROM organizations WHERE organization_id > ? ORDER BY organization_id LIMIT ?',
);

const resource = defineStatement(
  'resource',
  `SELECT ${resourceColumns} FROM resources WHERE organization_id = ? AND kind = ? AND id = ?`,
);
const ofKind = 'FROM resources WHERE organization_id = ? AND kind = ?';
const ofParent = 'FROM resources WHERE organization_id = ? AND kind = ? AND parent_id = ?';
const kindList = defineStatement('kind_list', `SELECT ${resourceColumns} ${ofKind} ORDER BY id`);
const parentList = defineStatement('parent_list', `SELECT ${resourceColumns} ${ofParent} ORDER BY id`);
const kindPage = definePaged('kind_page', `SELECT ${resourceColumns} ${ofKind}`, 'id');
const parentPage = definePaged('parent_page', `SELECT ${resourceColumns} ${ofParent}`, 'id');
const kindCount = defineStatement('kind_count', `SELECT count(*) AS count ${ofKind}`);
const parentCount = defineStatement('parent_count', `SELECT count(*) AS count ${ofParent}`);

const secret = defineStatement(
  'secret',
  'SELECT organization_id, id, ciphertext FROM secrets WHERE organization_id = ? AND id = ?',
);
const lookup = definePaged('lookup', 'SELECT id FROM lookups WHERE organization_id = ? AND kind = ? AND value = ?', 'id');

const activity = defineStatement('activity', `SELECT ${activityColumns} FROM activities WHERE organization_id = ? AND id = ?`);
const byFingerprint = defineStatement(
  'activity_by_fingerprint',
  `SELECT ${activityColumns} FROM activities WHERE organization_id = ? AND fingerprint = ?`,
);
const activityPage = definePaged('activity_page', `SELECT ${activityColumns} FROM activities WHERE organization_id = ?`, 'id');

const dataKey = defineStatement(
  'data_key',
  'SELECT organization_id, root_key_id, wrapped FROM data_keys WHERE organization_id = ?',
);
const dataKeysNotUnder = defineStatement(
  'data_keys_not_under',
  'SELECT organization_id, root_key_id, wrapped FROM data_keys WHERE organization_id > ? AND root_key_id <> ? ORDER BY organization_id LIMIT ?',
);
const setting = defineStatement('setting', 'SELECT name, body FROM settings WHERE name = ?');

/** The reading half of a store. The vault's two writers are the adapter's own. */
export type Readers = Pick<Store, 'organizations' | 'resources' | 'secrets' | 'lookups' | 'activities'> & {
  readonly vault: Pick<Store['vault'], 'dataKey' | 'dataKeysNotUnder' | 'setting'>;
};

/** Everything that only reads, the same for both engines. */
export function createReaders(read: Read): Readers {
  async function first<T>(rows: Promise<readonly Row[]>, decode: (row: Row) => T): Promise<T | undefined> {
    const [row] = await rows;
    return row === undefined ? undefined : decode(row);
  }

  return {
    organizations: {
      head: (organizationId) => first(read(head, [organizationId]), toHead),
      async snapshot(organizationId) {
        const [own, ...rest] = await read(snapshot, [organizationId, organizationId, organizationId]);
        if (own === undefined || toInteger(own, 'part') !== 0) return undefined;
        const records = rest.filter((row) => toInteger(row, 'part') === 1).map((row) => toRecord(organizationId, row));
        const keyMacs = rest.filter((row) => toInteger(row, 'part') === 2).map((row) => toBytes(row, 'mac'));
        const { parent_id, version, mac } = own;
        return { head: toHead({ organization_id: organizationId, parent_id, version, mac } as Row), records, keyMacs };
      },
      async scan(afterId, limit) {
        return (await read(scan, [afterId, toCursor({ limit }).limit])).map((row) => toText(row, 'organization_id'));
      },
    },

    resources: {
      get: (organizationId, kind, id) => first(read(resource, [organizationId, kind, id]), toResource),
      async list(organizationId, kind, parentId) {
        const rows =
          parentId === undefined
            ? await read(kindList, [organizationId, kind])
            : await read(parentList, [organizationId, kind, parentId]);
        return rows.map(toResource);
      },
      async page(organizationId, kind, page, parentId) {
        const cursor = toCursor(page);
        const rows =
          parentId === undefined
            ? await read(kindPage(cursor), pagedParams([organizationId, kind], cursor))
            : await read(parentPage(cursor), pagedParams([organizationId, kind, parentId], cursor));
        return newestFirst(cursor, rows).map(toResource);
      },
      async count(organizationId, kind, parentId) {
        const [row] =
          parentId === undefined
            ? await read(kindCount, [organizationId, kind])
            : await read(parentCount, [organizationId, kind, parentId]);
        return row === undefined ? 0 : toInteger(row, 'count');
      },
    },

    secrets: {
      get: (organizationId, id) => first(read(secret, [organizationId, id]), toSecret),
    },

    lookups: {
      async find(organizationId, kind, value, page) {
        const cursor = toCursor(page);
        const rows = await read(lookup(cursor), pagedParams([organizationId, kind, toLookupKey(value)], cursor));
        return newestFirst(cursor, rows).map((row) => ({ organizationId, kind, value, id: toText(row, 'id') }));
      },
    },

    activities: {
      get: (organizationId, id) => first(read(activity, [organizationId, id]), toActivity),
      byFingerprint: (organizationId, fingerprint) => first(read(byFingerprint, [organizationId, fingerprint]), toActivity),
      async page(organizationId, filter, page) {
        const cursor = toCursor(page);
        if ((filter.statuses?.length ?? 0) + (filter.types?.length ?? 0) === 0) {
          const rows = await read(activityPage(cursor), pagedParams([organizationId], cursor));
          return newestFirst(cursor, rows).map(toActivity);
        }
        const listing = activityListing(organizationId, filter, cursor);
        if (listing === undefined) return [];
        return newestFirst(cursor, await read(listing.statement, listing.params)).map(toActivity);
      },
    },

    vault: {
      dataKey: (organizationId) => first(read(dataKey, [organizationId]), toDataKey),
      async dataKeysNotUnder(rootKeyId, limit, afterId = '') {
        return (await read(dataKeysNotUnder, [afterId, rootKeyId, toCursor({ limit }).limit])).map(toDataKey);
      },
      setting: (name) => first(read(setting, [name]), (row) => ({ name: toText(row, 'name'), body: toText(row, 'body') })),
    },
  };
}
