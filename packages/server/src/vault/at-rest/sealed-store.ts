import type { ActivityRow, RecordRow, StoredEvent, Write } from '../../store/rows.ts';
import type { Commit, Store } from '../../store/store.ts';
import type { AtRest } from './at-rest.ts';
import { createRowForms, type RowForms } from './sealed-rows.ts';

/**
 * A store that encrypts contacts, secrets in requests and URLs of webhooks before they are written, and decrypts them when they are read.
 * INVARIANT: callers see plain rows only, so MACs, heads, leaves and audit files do not depend on encryption. `copy` reads stored rows,
 * so backups contain ciphertext.
 */
export function sealStore(store: Store, atRest: AtRest): Store {
  const forms = createRowForms(atRest);
  const { record, activity, event, eventBody } = forms;
  const { organizations, lookups, activities, events, archive, terms } = store;
  const opened = (row: ActivityRow | undefined) => row && activity.fromStored(row);
  const plainEvent = (row: StoredEvent) => (row.isShared ? eventBody : event).fromStored(row);
  return {
    ...store,
    commit: (batch, fence) =>
      store.commit(
        batch.map((commit) => toStored(forms, commit)),
        fence,
      ),
    organizations: {
      ...organizations,
      async snapshot(organizationId, limit) {
        const found = await organizations.snapshot(organizationId, limit);
        return found && { head: found.head, records: found.records.map(record.fromStored), keys: found.keys, more: found.more };
      },
      async changes(...after) {
        const found = await organizations.changes(...after);
        return found && { ...found, records: found.records.map(record.fromStored) };
      },
      recordsAfter: async (...place) => (await organizations.recordsAfter(...place)).map(record.fromStored),
    },
    lookups: {
      async find(organizationId, kind, value, page) {
        const stored = forms.lookupValue({ organizationId, kind, value });
        const rows = await lookups.find(organizationId, kind, stored, page);
        return stored === value ? rows : rows.map(({ id }) => ({ organizationId, kind, value, id }));
      },
      async findOrganizations(organizationId, kind, value, page) {
        const stored = forms.lookupValue({ organizationId, kind, value });
        const rows = await lookups.findOrganizations(organizationId, kind, stored, page);
        return rows.map((row) => withPlainRecord(forms, row));
      },
    },
    activities: {
      ...activities,
      get: async (...key) => opened(await activities.get(...key)),
      byRequest: async (...key) => opened(await activities.byRequest(...key)),
      byFingerprint: async (...key) => opened(await activities.byFingerprint(...key)),
      byFingerprints: async (...keys) => (await activities.byFingerprints(...keys)).map(activity.fromStored),
      page: async (...page) => (await activities.page(...page)).map(activity.fromStored),
    },
    events: {
      ...events,
      oldest: async (...of) => (await events.oldest(...of)).map(plainEvent),
      some: async (...of) => (await events.some(...of)).map(plainEvent),
      firstOfOthers: async (...of) => (await events.firstOfOthers(...of)).map(plainEvent),
    },
    terms: {
      ...terms,
      add: (from, to, rows) =>
        terms.add(
          from,
          to,
          rows.map((row) => ({ ...row, term: atRest.indexTerm(row.organizationId, row.term) })),
        ),
      minutes: (organizationId, term, ...range) =>
        terms.minutes(organizationId, atRest.indexTerm(organizationId, term), ...range),
    },
    archive: { ...archive, ended: async (...span) => (await archive.ended(...span)).map(activity.fromStored) },
    maintain: (work) => store.maintain((maintenance) => work({ ...maintenance, store: sealStore(maintenance.store, atRest) })),
  };
}

/** The commit as it is stored. A commit without confidential rows is returned as it is. */
function toStored(forms: RowForms, commit: Commit): Commit {
  const writes = commit.writes.length === 0 ? commit.writes : sealWrites(forms, commit.writes);
  const activity = commit.activity && forms.activity.toStored(commit.activity);
  return writes === commit.writes && activity === commit.activity
    ? commit
    : { ...commit, writes, ...(activity !== undefined && { activity }) };
}

function sealWrites(forms: RowForms, writes: readonly Write[]): readonly Write[] {
  const sealed = writes.map((write) => sealWrite(forms, write));
  return sealed.some((write, at) => write !== writes[at]) ? sealed : writes;
}

function sealWrite(forms: RowForms, write: Write): Write {
  switch (write.table) {
    case 'records':
      return write.op === 'put' ? withRow(write, forms.record.toStored(write.row)) : write;
    case 'events':
      return withRow(write, forms.event.toStored(write.row));
    case 'event_bodies':
      return withRow(write, forms.eventBody.toStored(write.row));
    case 'lookups': {
      const value = forms.lookupValue(write.row);
      return value === write.row.value ? write : ({ ...write, row: { ...write.row, value } } as Write);
    }
    default:
      return write;
  }
}

function withRow<W extends Write>(write: W, row: W['row']): W {
  return row === write.row ? write : { ...write, row };
}

type FoundOrganization = Awaited<ReturnType<Store['lookups']['findOrganizations']>>[number];

/** The organization's own record has the id of the organization. */
function withPlainRecord(forms: RowForms, found: FoundOrganization): FoundOrganization {
  const { id, body } = found;
  if (body === undefined) return found;
  const row: Pick<RecordRow, 'organizationId' | 'kind' | 'id' | 'body'> = { organizationId: id, kind: 'organization', id, body };
  return { ...found, body: forms.record.fromStored(row).body };
}
