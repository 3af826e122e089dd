import type { PolicyValue } from '@countersign/policy';
import type { ContactRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** Contacts do not change within a snapshot, so their view is made once. */
const made = new WeakMap<ReadonlyMap<string, ContactRecord>, PolicyValue>();

/** `contacts` as policies see it: all addresses, and those of each tag. */
export function contactsOf({ records: { contact } }: Snapshot): PolicyValue {
  const known = made.get(contact) ?? viewOf([...contact.values()]);
  made.set(contact, known);
  return known;
}

function viewOf(contacts: readonly ContactRecord[]): PolicyValue {
  const tagged = new Map<string, string[]>();
  for (const { address, contactTags } of contacts) {
    for (const tag of contactTags) tagged.set(tag, [...(tagged.get(tag) ?? []), address]);
  }
  return { all: contacts.map(({ address }) => address), tagged };
}
