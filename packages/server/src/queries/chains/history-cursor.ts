import type { QueryContext } from '../../pipeline/query.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import { invalidField } from '../../wire/refuse.ts';

/** What a cursor is valid for. */
export interface CursorScope {
  readonly chain: string;
  readonly address: string;
}

type Macs = Pick<QueryContext, 'cursorMac'>;

const macOf = ({ cursorMac }: Macs, { chain, address }: CursorScope, position: string) =>
  cursorMac(['list_address_transactions', chain, address, position]);

/** A position in the history of an account, which only this service can write. */
export function writeCursor(macs: Macs, scope: CursorScope, position: string): string {
  return `${position}.${Buffer.from(macOf(macs, scope, position)).toString('base64url')}`;
}

/**
 * The position of a cursor.
 * SECURITY: D936: a cursor of another account, chain or organization, or one that nobody was given, is refused.
 */
export function readCursor(macs: Macs, scope: CursorScope, cursor: string): string {
  const end = cursor.lastIndexOf('.');
  const position = cursor.slice(0, Math.max(end, 0));
  if (macsEqual(Buffer.from(cursor.slice(end + 1), 'base64url'), macOf(macs, scope, position))) return position;
  throw invalidField('cursor', 'is not the `next` of a response for this account and chain');
}
