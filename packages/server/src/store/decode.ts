import type { ActivityRow, DataKeyRow, HeadRow, OutboxRow, OutboxState, RecordRow, ResourceRow, SecretRow } from './rows.ts';
import type { Row } from './statement.ts';

/** A text column of a row. */
export function toText(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

/** An integer column of a row. Throws where the value is no safe integer: a rounded version would defeat the version check. */
export function toInteger(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`column ${column} holds no safe integer`);
  return value;
}

/** A bytes column of a row. */
export function toBytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} holds no bytes`);
  return value;
}

export function toHead(row: Row): HeadRow {
  return {
    organizationId: toText(row, 'organization_id'),
    parentId: toText(row, 'parent_id'),
    version: toInteger(row, 'version'),
    mac: toBytes(row, 'mac'),
  };
}

export function toRecord(organizationId: string, row: Row): RecordRow {
  return {
    organizationId,
    kind: toText(row, 'kind'),
    id: toText(row, 'id'),
    body: toText(row, 'body'),
    mac: toBytes(row, 'mac'),
  };
}

export function toResource(row: Row): ResourceRow {
  return {
    organizationId: toText(row, 'organization_id'),
    kind: toText(row, 'kind'),
    id: toText(row, 'id'),
    parentId: toText(row, 'parent_id'),
    body: toText(row, 'body'),
    mac: toBytes(row, 'mac'),
  };
}

export function toSecret(row: Row): SecretRow {
  return { organizationId: toText(row, 'organization_id'), id: toText(row, 'id'), ciphertext: toBytes(row, 'ciphertext') };
}

export function toDataKey(row: Row): DataKeyRow {
  return {
    organizationId: toText(row, 'organization_id'),
    rootKeyId: toText(row, 'root_key_id'),
    wrapped: toBytes(row, 'wrapped'),
  };
}

export function toOutbox(row: Row): Omit<OutboxRow, 'ciphertext'> {
  return {
    organizationId: toText(row, 'organization_id'),
    id: toText(row, 'id'),
    state: toText(row, 'state') as OutboxState,
    dueAtMs: toInteger(row, 'due_at_ms'),
    expiresAtMs: toInteger(row, 'expires_at_ms'),
    attempts: toInteger(row, 'attempts'),
    fault: toText(row, 'fault'),
  };
}

export function toActivity(row: Row): ActivityRow {
  return {
    organizationId: toText(row, 'organization_id'),
    id: toText(row, 'id'),
    revision: toInteger(row, 'revision'),
    fingerprint: toText(row, 'fingerprint'),
    type: toText(row, 'type'),
    status: toText(row, 'status'),
    body: toText(row, 'body'),
    mac: toBytes(row, 'mac'),
  };
}
