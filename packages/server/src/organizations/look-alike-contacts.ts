import { lookAlikesOf, sharedEnds } from '@countersign/chains';
import type { ContactRecord } from './records.ts';
import type { ContextChange } from './rule-change.ts';

/** A request may create many contacts. Approvers read the first of them. */
const MOST = 10;

/**
 * Warnings about contacts whose address could be mistaken for that of another contact.
 * SECURITY: D1077: once such an address is a contact, policies that pay contacts pay it, and sentences call it by a name.
 */
export function lookAlikeContacts(
  known: ReadonlyMap<string, ContactRecord>,
  { contacts = new Map() }: Pick<ContextChange, 'contacts'>,
): readonly string[] {
  const written = [...contacts].flatMap(([id, contact]) => (contact === undefined ? [] : [{ id, contact }]));
  const isSimilar = lookAlikesOf(written.map(({ contact }) => contact.address));
  const stored = [...known].flatMap(([id, contact]) =>
    isSimilar(contact.address) && !contacts.has(id) ? [{ id, contact }] : [],
  );
  const others = [...stored, ...written.filter(({ contact }) => isSimilar(contact.address))];
  const warnings = written.flatMap(({ id, contact: { label, address } }) => {
    // Of two contacts of the same request, the later one is named.
    const at = others.findIndex((each) => each.id === id);
    const other = (at === -1 ? others : others.slice(0, at)).find(({ contact }) => sharedEnds(address, contact.address));
    return other === undefined ? [] : [warningOf({ label, address }, other.contact)];
  });
  return warnings.slice(0, MOST);
}

type Shown = Pick<ContactRecord, 'label' | 'address'>;

const warningOf = (contact: Shown, other: Shown) =>
  `LOOK_ALIKE: the address of ${JSON.stringify(contact.label)}, ${contact.address}, looks like that of ${JSON.stringify(other.label)}, ${other.address}. Compare the middle`;
