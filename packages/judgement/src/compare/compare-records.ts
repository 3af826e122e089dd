import type { ComparedChange, ComparedOrganization, Field, Fields, Proposed, Written } from './change.ts';
import { kindName, kinds } from './kinds.ts';
import { fieldsOf } from './record-fields.ts';
import { nameIn, shownId } from './references.ts';
import { quoteDifference, quoteText } from './shown-text.ts';

/** The differences of a record, one for each field and for each item of a list. */
export function* changesOf(organization: ComparedOrganization, proposed: Proposed): Generator<ComparedChange> {
  const { kind, id, before, after, also, of } = proposed;
  const action = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
  // The object has the name that people know until the change is executed. A new name is a change.
  const name = nameIn(kind, before ?? after);
  const subject = { kind: kindName(kind), ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
  const title = [
    titles[action],
    kinds[kind].word,
    ...(name === undefined ? [] : [quoteText(name)]),
    ...(id === undefined ? [] : [name === undefined ? shownId(id) : `(${shownId(id)})`]),
    ...(of === undefined ? [] : [`of ${of}`]),
  ].join(' ');
  const make = (field: string, from: string | null, to: string | null): ComparedChange => {
    const text = `${title.trim()}: ${field}${words(action, from, to)}`;
    return { action, subject, field, before: from, after: to, text: text.charAt(0).toUpperCase() + text.slice(1) };
  };
  const from: Fields = { ...fieldsOf(kind, before, organization), ...also?.before };
  const to: Fields = { ...fieldsOf(kind, after, organization), ...also?.after };
  const isNamed = action !== 'UPDATE' && kinds[kind].name !== undefined;
  let isEmpty = true;
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    // A title says the name of what is created or deleted.
    if (isNamed && field === 'name') continue;
    for (const [left, right] of differences(from[field], to[field])) {
      isEmpty = false;
      yield make(field, left, right);
    }
  }
  if (isEmpty && action !== 'UPDATE') {
    const text = title.trim();
    const [left, right] = action === 'CREATE' ? [null, 'present'] : ['present', null];
    yield { action, subject, field: 'existence', before: left, after: right, text: text.charAt(0).toUpperCase() + text.slice(1) };
  }
}

const titles = { CREATE: 'creates', UPDATE: '', DELETE: 'deletes' } as const;

function words(action: ComparedChange['action'], from: string | null, to: string | null): string {
  if (action === 'CREATE') return `: ${to}`;
  if (action === 'DELETE') return `: ${from}`;
  if (from === null) return ` added: ${to}`;
  return to === null ? ` removed: ${from}` : `: ${from} → ${to}`;
}

function* differences(from: Field, to: Field): Generator<readonly [string | null, string | null]> {
  if (isList(from) || isList(to)) {
    const [left, right] = [listOf(from), listOf(to)];
    for (const item of left) if (!right.has(item)) yield [item, null];
    for (const item of right) if (!left.has(item)) yield [null, item];
    return;
  }
  if (isWritten(from) && isWritten(to)) {
    if (from.written !== to.written) yield quoteDifference(from.written, to.written);
    return;
  }
  const [left, right] = [shownOf(from), shownOf(to)];
  if (left !== right) yield [left, right];
}

const isList = (field: Field): field is readonly string[] => Array.isArray(field);
const isWritten = (field: Field): field is Written => typeof field === 'object' && !isList(field);
const listOf = (field: Field): ReadonlySet<string> =>
  new Set(isList(field) ? field : [shownOf(field)].filter((item) => item !== null));

function shownOf(field: Field): string | null {
  if (field === undefined || isList(field)) return null;
  return typeof field === 'string' ? field : quoteText(field.written);
}
