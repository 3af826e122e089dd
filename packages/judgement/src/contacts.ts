import { memoizeByRef } from '@countersign/collections';
import type { JudgedOrganization } from './organization.ts';
import type { ContactRecord } from './records.ts';

const viewOf = memoizeByRef((contacts: ReadonlyMap<string, ContactRecord>) => {
  const tagged = new Map<string, string[]>();
  const all: string[] = [];
  for (const { address, contactTags } of contacts.values()) {
    all.push(address);
    for (const tag of contactTags) {
      const addresses = tagged.get(tag);
      if (addresses === undefined) tagged.set(tag, [address]);
      else addresses.push(address);
    }
  }
  return { all, tagged };
});

/** `contacts` as policies see it: all addresses, and those of each tag. */
export function contactsOf({ records }: JudgedOrganization): ReturnType<typeof viewOf> {
  return viewOf(records.contact);
}
