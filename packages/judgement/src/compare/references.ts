import type { ComparedKind, ComparedOrganization } from './change.ts';
import { kinds } from './kinds.ts';
import { quoteText } from './shown-text.ts';

/** An id as it is, or in quotation marks if it does not have the form of one. Requests may contain any text. */
export function shownId(id: string): string {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(id) ? id : quoteText(id);
}

/**
 * An object by its current name and its id, such as `user "Ann" (0198…)`.
 * INVARIANT: always with the id. Names are chosen by users, and two objects can have similar ones.
 */
export function reference(organization: ComparedOrganization, kind: ComparedKind, id: string): string {
  const record = organization.records[kind].get(id);
  const { word } = kinds[kind];
  if (record === undefined) return `${word} ${shownId(id)} (not found)`;
  const name = nameIn(kind, record);
  return name === undefined ? `${word} ${shownId(id)}` : `${word} ${quoteText(name)} (${shownId(id)})`;
}

/** The name of a record, if records of its kind have one. */
export function nameIn(kind: ComparedKind, record: object | undefined): string | undefined {
  const { name } = kinds[kind];
  return name === undefined ? undefined : (record as Readonly<Record<string, string>> | undefined)?.[name];
}
