import { canonicalAddress } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { runInSlices } from '../../admission/index.ts';
import { showContact } from '../../organizations/address-book.ts';
import { contactsByLookalike } from '../../organizations/names.ts';
import type { ContactRecord } from '../../organizations/records.ts';
import { resolve } from '../../pipeline/query.ts';
import { matcherOf, pageOptions } from '../matching.ts';
import { listRecords } from '../page.ts';

export const listContacts = resolve(queries.listContacts, async (context, asked) => {
  const { contact } = context.organization.records;
  // The index of thousands of labels takes long when it is first built.
  await runInSlices(contactsByLookalike.inSteps(contact), context.endSlice);
  const isMatch = matcherOf(asked.matching);
  const wanted = asked.addresses && new Set(asked.addresses.map(canonicalAddress));
  const show = (id: string, record: ContactRecord) => {
    const { label, address, contactTags } = record;
    if (wanted !== undefined && !wanted.has(canonicalAddress(address))) return undefined;
    return isMatch(id, [label, address, ...contactTags]) ? showContact(id, record, contact) : undefined;
  };
  const options = pageOptions(asked, (asked.matching ?? asked.addresses) !== undefined);
  return { contacts: await listRecords(context, contact, options, show) };
});
