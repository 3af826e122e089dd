import { queries } from '@countersign/contract';
import { runInSlices } from '../../admission/index.ts';
import { showContact } from '../../organizations/address-book.ts';
import { contactsByLookalike } from '../../organizations/names.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listContacts = resolve(queries.listContacts, async (context, { paginationOptions }) => {
  const { contact } = context.organization.records;
  // The index of thousands of labels takes long when it is first built.
  await runInSlices(contactsByLookalike.inSteps(contact), context.endSlice);
  return {
    contacts: await listRecords(context, contact, paginationOptions, (id, record) => showContact(id, record, contact)),
  };
});
