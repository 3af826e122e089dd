import { addressBytes, readChainAddress } from '@countersign/chains';
import { PersistentMap } from '@countersign/collections';
import { contactsOf } from '../contacts.ts';
import type { JudgedOrganization } from '../organization.ts';
import type { ContactRecord } from '../records.ts';
import type { HostileChain } from './imagined-keys.ts';
import type { Seeds } from './seeds.ts';

/** Who receives: anyone, a contact, or an address that the policy names. The first is the worst. */
export type ReceiverKind = 'ANYONE' | 'CONTACT' | 'NAMED';

/** A receiver, as the bytes that transactions of a chain contain, in hexadecimal. */
export interface Receiver {
  readonly kind: ReceiverKind;
  readonly hex: string;
}

/** Contacts that are imagined where a policy wants a contact and the organization has none. One for each chain. */
const imagined = [
  '0x6666666666666666666666666666666666666666',
  '7tj9biW3KRJ7EEWmVUGigHiouCTXhV2dzcyvwma7Cyu7',
  'TKJebW6SdoJhgkKU13BeKCbrMzT6HeQhJ6',
  'bc1qvenxvenxvenxvenxvenxvenxvenxvenxggpksv',
];

const strangers: { readonly [C in HostileChain]: string } = {
  ethereum: '77'.repeat(20),
  solana: '77'.repeat(32),
  tron: '77'.repeat(20),
  bitcoin: '77'.repeat(20),
};

/** The receivers to try on a chain, the worst first. */
export function receiversOn(chain: HostileChain, organization: JudgedOrganization, { reads, texts }: Seeds): readonly Receiver[] {
  const expected = strangers[chain].length;
  const first = (kind: ReceiverKind, addresses: readonly string[]): Receiver[] => {
    for (const address of addresses) {
      const hex = addressBytes(chain, address);
      if (hex?.length === expected) return [{ kind, hex }];
    }
    return [];
  };
  // A text that is no tag gives its imagined contact nothing that the condition asks for, so a stored contact is tried too.
  const contacts = reads('contacts') ? addressesOf(organization, texts) : [];
  const notStored = new Set(imagined.map((text) => readChainAddress(text)));
  const stored = contacts.filter((address) => !notStored.has(address));
  const tried = [...first('CONTACT', stored), ...first('CONTACT', contacts)];
  return [
    { kind: 'ANYONE', hex: strangers[chain] },
    ...new Map(tried.map((each) => [each.hex, each])).values(),
    ...first('NAMED', texts),
  ];
}

/** The addresses of contacts with a tag in the texts, or of all contacts. */
function addressesOf(organization: JudgedOrganization, texts: readonly string[]): readonly string[] {
  const { all, tagged } = contactsOf(organization);
  const named = texts.flatMap((text) => tagged.get(text) ?? []);
  return named.length > 0 ? named : all;
}

/** The contacts of an organization, with imagined ones for tags that a condition asks for and no contact has. */
export function withImaginedContacts(
  organization: JudgedOrganization,
  { reads, texts }: Seeds,
): ReadonlyMap<string, ContactRecord> {
  const { contact } = organization.records;
  if (!reads('contacts')) return contact;
  const { tagged } = contactsOf(organization);
  const missing = texts.filter((text) => !tagged.has(text));
  if (contact.size > 0 && missing.length === 0) return contact;
  let contacts: ReadonlyMap<string, ContactRecord> = contact;
  for (const text of imagined) {
    const address = readChainAddress(text);
    if (address === undefined) continue;
    const added = { label: 'imagined', address, contactTags: missing, notes: '', createdAtMs: 0, updatedAtMs: 0 };
    contacts = contacts instanceof PersistentMap ? contacts.with(text, added) : new Map([...contacts, [text, added]]);
  }
  return contacts;
}
