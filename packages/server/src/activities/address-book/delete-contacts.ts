import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

export const deleteContacts = execute(activities.deleteContacts, {
  locksOrganization: true,

  contextChange: (_context, { contactIds }) => ({ contacts: new Map(contactIds.map((id) => [id, undefined])) }),

  async plan({ organization }, params) {
    const { contactIds } = params;
    requireDistinct(contactIds, 'contact', 'contactIds');
    for (const [index, id] of contactIds.entries()) {
      if (!organization.records.contact.has(id)) throw notFound('contact', `contactIds.${index}`);
    }
    return { intent: params, subject: {}, prepared: contactIds };
  },

  async run(_context, { prepared: contactIds }) {
    return {
      result: { contactIds: [...contactIds] },
      changes: contactIds.map((id) => ({ op: 'deleteRecord', kind: 'contact', id })),
    };
  },
});
