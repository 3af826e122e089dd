import { comparedEnds } from '@countersign/chains';
import type { EndSlice } from '../admission/index.ts';
import type { ContactRecord } from './records.ts';
import type { ContextChange } from './rule-change.ts';

/** A request may create many contacts. Approvers read the first of them. */
const MOST = 10;

/**
 * Warnings about contacts whose address could be mistaken for that of another contact. Of two contacts of the same request, the later one is
 * named.
 * SECURITY: D1077: once such an address is a contact, policies that pay contacts pay it, and sentences call it by a name.
 * D1173: each contact is looked up once, however many have the same ends.
 */
export async function lookAlikeContacts(
  known: ReadonlyMap<string, ContactRecord>,
  { contacts = new Map() }: Pick<ContextChange, 'contacts'>,
  endSlice: EndSlice,
): Promise<readonly string[]> {
  const written = [...contacts.values()].filter((contact) => contact !== undefined);
  const places = new Map<string, Shown[]>();
  for (const { address } of written) places.set(comparedEnds(address) ?? '', []);
  places.delete('');
  for (const [id, contact] of known) {
    const place = places.get(comparedEnds(contact.address) ?? '');
    if (place !== undefined && !contacts.has(id)) add(contact, place);
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
  const warnings: string[] = [];
  for (const contact of written) {
    const place = places.get(comparedEnds(contact.address) ?? '') ?? [];
    const other = place.find((each) => isOther(each, contact));
    if (other !== undefined) warnings.push(warningOf(contact, other));
    add(contact, place);
  }
  return warnings.slice(0, MOST);
}

/** Keeps the first contacts of two addresses: any other contact differs from one of them. */
function add(contact: Shown, place: Shown[]): void {
  if (place.length < 2 && place.every((each) => isOther(each, contact))) place.push(contact);
}

const isOther = ({ address: a }: Shown, { address: b }: Shown) => a.toLowerCase() !== b.toLowerCase();

type Shown = Pick<ContactRecord, 'label' | 'address'>;

const warningOf = (contact: Shown, other: Shown) =>
  `LOOK_ALIKE: the address of ${JSON.stringify(contact.label)}, ${contact.address}, looks like that of ${JSON.stringify(other.label)}, ${other.address}. Compare the middle`;
