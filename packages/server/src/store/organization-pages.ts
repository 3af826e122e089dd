import { defineStatement, type Read, type Row } from './statement.ts';
import type { Store } from './store.ts';
import { toCoveredInteger, toText } from './table.ts';

/** Length of a MAC in hexadecimal. */
const MAC_CHARACTERS = 64;

/**
 * Reads large organizations page by page. MACs are read as hexadecimal text and decoded once per page, because drivers are slow at
 * creating many small byte arrays.
 */
export function createPageReaders(
  read: Read,
  hexOf: (column: string) => string,
): Pick<Store['organizations'], 'recordsAfter' | 'keysAfter'> {
  const records = defineStatement(
    'records_after',
    `SELECT kind, id, written_by, ${hexOf('mac')} AS mac, body FROM records
     WHERE organization_id = ? AND (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?`,
  );
  const keys = defineStatement(
    'keys_after',
    `SELECT kind, id, ${hexOf('mac')} AS mac FROM resources
     WHERE organization_id = ? AND parent_id = '' AND (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?`,
  );
  return {
    async recordsAfter(organizationId, { kind, id }, limit) {
      const rows = await read(records, [organizationId, kind, id, limit]);
      const macs = macsOf(rows);
      return rows.map((row, at) => ({
        organizationId,
        kind: toText(row, 'kind'),
        id: toText(row, 'id'),
        writtenBy: toCoveredInteger(row, 'written_by'),
        mac: macs[at] as Uint8Array,
        body: toText(row, 'body'),
      }));
    },
    async keysAfter(organizationId, { kind, id }, limit) {
      const rows = await read(keys, [organizationId, kind, id, limit]);
      const macs = macsOf(rows);
      return rows.map((row, at) => ({ kind: toText(row, 'kind'), id: toText(row, 'id'), mac: macs[at] as Uint8Array }));
    },
  };
}

function macsOf(rows: readonly Row[]): readonly Uint8Array[] {
  const texts = rows.map((row) => toText(row, 'mac'));
  // A tampered row can have a MAC of another length. Return it as stored, so that the caller detects it.
  if (texts.some(({ length }) => length !== MAC_CHARACTERS))
    return texts.map((text) => Uint8Array.from(Buffer.from(text, 'hex')));
  const all = Uint8Array.from(Buffer.from(texts.join(''), 'hex'));
  return texts.map((_, at) => all.subarray((at * MAC_CHARACTERS) / 2, ((at + 1) * MAC_CHARACTERS) / 2));
}
