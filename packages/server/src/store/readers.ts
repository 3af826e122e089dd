import { activityListing } from './activity-listing.ts';
import { definePaged, newestFirst, pagedParams, toCursor } from './cursor.ts';
import { toLookupKey } from './lookup-key.ts';
import { createPageReaders } from './organization-pages.ts';
import { defineStatement, type Read, type Row } from './statement.ts';
import type { ActivitySpan, Store } from './store.ts';
import { toInteger, toText } from './table.ts';
import { activities, dataKeys, organizations, records, resources, secrets, settings, tombstones } from './tables.ts';

/**
 * SECURITY: D335: always one row. Without the organization it is a row without an id, so that a missing organization takes as long to
 * read and decode as a stored one.
 */
const head = defineStatement(
  'head',
  `SELECT ${organizations.list} FROM organizations WHERE organization_id = ?
   UNION ALL SELECT '', '', 0, ? WHERE NOT EXISTS (SELECT 1 FROM organizations WHERE organization_id = ?)`,
);
const noMac = new Uint8Array(32);
const ownRecord = records.select('kind', 'id', 'writtenBy', 'mac', 'body');
const ownHead = organizations.select('parentId', 'version', 'mac');
const ownKey = resources.select('kind', 'id', 'mac');
const removed = tombstones.select('kind', 'id', 'mac');
/** One statement, so that both engines read all three parts from one snapshot. */
const snapshot = defineStatement(
  'snapshot',
  `SELECT 0 AS part, '' AS kind, '' AS id, parent_id, version, 0 AS written_by, mac, '' AS body FROM organizations WHERE organization_id = ?
   UNION ALL SELECT * FROM (
     SELECT 1, kind, id, '', 0, written_by, mac, body FROM records WHERE organization_id = ? ORDER BY kind, id LIMIT ?) AS own_records
   UNION ALL SELECT * FROM (
     SELECT 2, kind, id, '', 0, 0, mac, '' FROM resources WHERE organization_id = ? AND parent_id = ''
     ORDER BY kind, id LIMIT ?) AS own_keys
   ORDER BY part, kind, id`,
);
/** One statement, for the same reason. */
const changes = defineStatement(
  'changes',
  `SELECT 0 AS part, '' AS kind, '' AS id, parent_id, version, 0 AS written_by, mac, '' AS body FROM organizations WHERE organization_id = ?
   UNION ALL SELECT * FROM (
     SELECT 1, kind, id, '', 0, written_by, mac, body FROM records WHERE organization_id = ? AND written_by > ? LIMIT ?) AS own_records
   UNION ALL SELECT * FROM (
     SELECT 2, kind, id, '', 0, 0, mac, '' FROM resources
     WHERE organization_id = ? AND parent_id = '' AND written_by > ? LIMIT ?) AS own_keys
   UNION ALL SELECT * FROM (
     SELECT 3, kind, id, '', 0, 0, mac, '' FROM tombstones WHERE organization_id = ? AND version > ? LIMIT ?) AS removed
   ORDER BY part, kind, id`,
);
/** More rows than any table has. */
const ALL = 2 ** 40;
const heads = defineStatement(
  'heads',
  `SELECT ${organizations.list} FROM organizations WHERE organization_id > ? ORDER BY organization_id LIMIT ?`,
);
const scan = defineStatement(
  'scan',
  'SELECT organization_id FROM organizations WHERE organization_id > ? ORDER BY organization_id LIMIT ?',
);

const resource = defineStatement(
  'resource',
  `SELECT ${resources.list} FROM resources WHERE organization_id = ? AND kind = ? AND id = ?`,
);
/** Ids per statement. */
const MANY = 50;
const many = defineStatement(
  'resources_many',
  `SELECT ${resources.list} FROM resources WHERE organization_id = ? AND kind = ? AND id IN (${Array(MANY).fill('?').join(', ')}) ORDER BY id`,
);
const ofKind = 'FROM resources WHERE organization_id = ? AND kind = ?';
const ofParent = 'FROM resources WHERE organization_id = ? AND kind = ? AND parent_id = ?';
const kindList = defineStatement('kind_list', `SELECT ${resources.list} ${ofKind} ORDER BY id`);
const parentList = defineStatement('parent_list', `SELECT ${resources.list} ${ofParent} ORDER BY id`);
const kindPage = definePaged('kind_page', `SELECT ${resources.list} ${ofKind}`, 'id');
const parentPage = definePaged('parent_page', `SELECT ${resources.list} ${ofParent}`, 'id');
const kindCount = defineStatement('kind_count', `SELECT count(*) AS count ${ofKind}`);
const parentCount = defineStatement('parent_count', `SELECT count(*) AS count ${ofParent}`);

const secret = defineStatement('secret', `SELECT ${secrets.list} FROM secrets WHERE organization_id = ? AND id = ?`);
const lookup = definePaged('lookup', 'SELECT id FROM lookups WHERE organization_id = ? AND kind = ? AND value = ?', 'id');

const lookupOrganizations = definePaged(
  'lookup_organizations',
  `SELECT lookups.id AS id, records.written_by AS written_by, records.mac AS mac, records.body AS body FROM lookups
   LEFT JOIN records ON records.organization_id = lookups.id AND records.kind = 'organization' AND records.id = lookups.id
   WHERE lookups.organization_id = ? AND lookups.kind = ? AND lookups.value = ?`,
  'lookups.id',
);
const foundRecord = records.select('writtenBy', 'mac', 'body');

const activity = defineStatement('activity', `SELECT ${activities.list} FROM activities WHERE organization_id = ? AND id = ?`);
const byRequest = defineStatement(
  'activity_by_request',
  `SELECT ${activities.list} FROM activities WHERE organization_id = ? AND requested_at_ms = ? AND fingerprint = ?`,
);
const byFingerprint = defineStatement(
  'activity_by_fingerprint',
  `SELECT ${activities.list} FROM activities
   WHERE organization_id = ? AND fingerprint = ? AND (revision > 0 OR status <> 'ACTIVITY_STATUS_COMPLETED')`,
);
/** Fingerprints per statement. */
const MANY_FINGERPRINTS = 64;
const byFingerprints = defineStatement(
  'activities_by_fingerprints',
  `SELECT ${activities.list} FROM activities
   WHERE organization_id = ? AND fingerprint IN (${Array(MANY_FINGERPRINTS).fill('?').join(', ')})
     AND (revision > 0 OR status <> 'ACTIVITY_STATUS_COMPLETED')`,
);
const activityPage = definePaged('activity_page', `SELECT ${activities.list} FROM activities WHERE organization_id = ?`, 'id');

const dataKey = defineStatement('data_key', `SELECT ${dataKeys.list} FROM data_keys WHERE organization_id = ?`);
const dataKeysNotUnder = defineStatement(
  'data_keys_not_under',
  `SELECT ${dataKeys.list} FROM data_keys WHERE organization_id > ? AND root_key_id <> ? ORDER BY organization_id LIMIT ?`,
);
const dataKeysBelow = defineStatement(
  'data_keys_below',
  `SELECT ${dataKeys.list} FROM data_keys WHERE organization_id > ? AND generation < ? ORDER BY organization_id LIMIT ?`,
);
const dataKeysInPairs = defineStatement(
  'data_keys_in_pairs',
  `SELECT ${dataKeys.list} FROM data_keys WHERE organization_id > ? AND length(previous) > 0 ORDER BY organization_id LIMIT ?`,
);
const setting = defineStatement('setting', `SELECT ${settings.list} FROM settings WHERE name = ?`);
const addSetting = defineStatement(
  'setting_add',
  `INSERT INTO settings (${settings.list}) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING name`,
);
const replaceSetting = defineStatement(
  'setting_replace',
  'UPDATE settings SET body = ? WHERE name = ? AND body = ? RETURNING name',
);

function withinSpan(organizationId: string, { above, below, types }: ActivitySpan) {
  const typed = types.length === 0 ? '' : ` AND type IN (${types.map(() => '?').join(', ')})`;
  return { where: `organization_id = ? AND id > ? AND id < ?${typed}`, params: [organizationId, above, below, ...types] };
}

/** Shared by both engines: all reads, and settings that are written in one statement. */
export type Readers = Pick<Store, 'organizations' | 'resources' | 'secrets' | 'lookups' | 'activities'> & {
  readonly vault: Pick<
    Store['vault'],
    'dataKey' | 'dataKeysNotUnder' | 'dataKeysBelow' | 'dataKeysInPairs' | 'setting' | 'replaceSetting'
  >;
};

export function createReaders(read: Read, hexOf: (column: string) => string): Readers {
  const { recordsAfter, keysAfter } = createPageReaders(read, hexOf);

  return {
    organizations: {
      async head(organizationId) {
        const found = await first(read(head, [organizationId, noMac, organizationId]), organizations.decode);
        return found?.organizationId === organizationId && organizationId !== '' ? found : undefined;
      },
      async snapshot(organizationId, limit = ALL) {
        const [own, ...rest] = await read(snapshot, [organizationId, organizationId, limit, organizationId, limit]);
        if (own === undefined || toInteger(own, 'part') !== 0) return undefined;
        const part = (wanted: number) => rest.filter((row) => toInteger(row, 'part') === wanted);
        const records = part(1).map((row) => ({ organizationId, ...ownRecord.decode(row) }));
        const keys = part(2).map(ownKey.decode);
        const more = records.length >= limit || keys.length >= limit;
        return { head: { organizationId, ...ownHead.decode(own) }, records, keys, more };
      },
      async changes(organizationId, afterVersion, limit) {
        const within = [organizationId, afterVersion, limit];
        const [own, ...rest] = await read(changes, [organizationId, ...within, ...within, ...within]);
        if (own === undefined || toInteger(own, 'part') !== 0) return undefined;
        const part = (wanted: number) => rest.filter((row) => toInteger(row, 'part') === wanted);
        const records = part(1).map((row) => ({ organizationId, ...ownRecord.decode(row) }));
        const [keys, tombstones] = [part(2).map(ownKey.decode), part(3).map(removed.decode)];
        const more = [records, keys, tombstones].some(({ length }) => length >= limit);
        return { head: { organizationId, ...ownHead.decode(own) }, records, keys, tombstones, more };
      },
      recordsAfter,
      keysAfter,
      heads: async (afterId, limit) => (await read(heads, [afterId, limit])).map(organizations.decode),
      async scan(afterId, limit) {
        return (await read(scan, [afterId, toCursor({ limit }).limit])).map((row) => toText(row, 'organization_id'));
      },
    },

    resources: {
      get: (organizationId, kind, id) => first(read(resource, [organizationId, kind, id]), resources.decode),
      async many(organizationId, kind, ids) {
        const rows: Row[] = [];
        const wanted = [...new Set(ids)].sort();
        for (let from = 0; from < wanted.length; from += MANY) {
          // Pad with the last id, so that every statement has the same text.
          const part = Array.from({ length: MANY }, (_, index) => wanted[Math.min(from + index, wanted.length - 1)] as string);
          rows.push(...(await read(many, [organizationId, kind, ...part])));
        }
        return rows.map(resources.decode);
      },
      async list(organizationId, kind, parentId) {
        const rows =
          parentId === undefined
            ? await read(kindList, [organizationId, kind])
            : await read(parentList, [organizationId, kind, parentId]);
        return rows.map(resources.decode);
      },
      async page(organizationId, kind, page, parentId) {
        const cursor = toCursor(page);
        const rows =
          parentId === undefined
            ? await read(kindPage(cursor), pagedParams([organizationId, kind], cursor))
            : await read(parentPage(cursor), pagedParams([organizationId, kind, parentId], cursor));
        return newestFirst(cursor, rows).map(resources.decode);
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
      get: (organizationId, id) => first(read(secret, [organizationId, id]), secrets.decode),
    },

    lookups: {
      async find(organizationId, kind, value, page) {
        const cursor = toCursor(page);
        const rows = await read(lookup(cursor), pagedParams([organizationId, kind, toLookupKey(value)], cursor));
        return newestFirst(cursor, rows).map((row) => ({ organizationId, kind, value, id: toText(row, 'id') }));
      },
      async findOrganizations(organizationId, kind, value, page) {
        const cursor = toCursor(page);
        const rows = await read(lookupOrganizations(cursor), pagedParams([organizationId, kind, toLookupKey(value)], cursor));
        return newestFirst(cursor, rows).map((row) => ({
          id: toText(row, 'id'),
          ...(row.body !== null && foundRecord.decode(row)),
        }));
      },
    },

    activities: createActivityReader(read),

    vault: {
      dataKey: (organizationId) => first(read(dataKey, [organizationId]), dataKeys.decode),
      async dataKeysNotUnder(rootKeyId, limit, afterId = '') {
        return (await read(dataKeysNotUnder, [afterId, rootKeyId, toCursor({ limit }).limit])).map(dataKeys.decode);
      },
      async dataKeysBelow(generation, limit, afterId = '') {
        return (await read(dataKeysBelow, [afterId, generation, toCursor({ limit }).limit])).map(dataKeys.decode);
      },
      async dataKeysInPairs(limit, afterId = '') {
        return (await read(dataKeysInPairs, [afterId, toCursor({ limit }).limit])).map(dataKeys.decode);
      },
      setting: (name) => first(read(setting, [name]), settings.decode),
      async replaceSetting({ name, body }, expectedBody) {
        const changed =
          expectedBody === undefined ? read(addSetting, [name, body]) : read(replaceSetting, [body, name, expectedBody]);
        return (await changed).length === 1;
      },
    },
  };
}

function createActivityReader(read: Read): Readers['activities'] {
  return {
    get: (organizationId, id) => first(read(activity, [organizationId, id]), activities.decode),
    byRequest: (organizationId, { requestedAtMs, fingerprint }) =>
      first(read(byRequest, [organizationId, requestedAtMs, fingerprint]), activities.decode),
    byFingerprint: (organizationId, fingerprint) => first(read(byFingerprint, [organizationId, fingerprint]), activities.decode),
    async byFingerprints(organizationId, fingerprints) {
      const rows: Row[] = [];
      for (let from = 0; from < fingerprints.length; from += MANY_FINGERPRINTS) {
        // Padded, so that every statement has the same text. No fingerprint is empty.
        const part = Array.from({ length: MANY_FINGERPRINTS }, (_, index) => fingerprints[from + index] ?? '');
        rows.push(...(await read(byFingerprints, [organizationId, ...part])));
      }
      return rows.map(activities.decode);
    },
    async page(organizationId, filter, page) {
      const cursor = toCursor(page);
      if ((filter.statuses?.length ?? 0) + (filter.types?.length ?? 0) === 0) {
        const rows = await read(activityPage(cursor), pagedParams([organizationId], cursor));
        return newestFirst(cursor, rows).map(activities.decode);
      }
      const listing = activityListing(organizationId, filter, cursor);
      if (listing === undefined) return [];
      return newestFirst(cursor, await read(listing.statement, listing.params)).map(activities.decode);
    },
    async count(organizationId, span, most) {
      const { where, params } = withinSpan(organizationId, span);
      const sql = `SELECT count(*) AS count FROM (SELECT id FROM activities WHERE ${where} LIMIT ?) AS counted`;
      const [row] = await read({ sql }, [...params, most]);
      return row === undefined ? 0 : toInteger(row, 'count');
    },
    async newest(organizationId, span, count) {
      const { where, params } = withinSpan(organizationId, span);
      const sql = `SELECT id FROM activities WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ?`;
      return first(read({ sql }, [...params, count]), (row) => toText(row, 'id'));
    },
  };
}

async function first<T>(rows: Promise<readonly Row[]>, decode: (row: Row) => T): Promise<T | undefined> {
  const [row] = await rows;
  return row === undefined ? undefined : decode(row);
}
