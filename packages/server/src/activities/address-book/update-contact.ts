import { activities } from '@countersign/contract';
import { checkLabels } from '../../organizations/names.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

export const updateContact = execute(activities.updateContact, {
  locksOrganization: true,

  // The label and the notes are words. No decision depends on them.
  contextChange({ organization }, { contactId, contactTags }) {
    const contact = organization.records.contact.get(contactId);
    return contact && contactTags && { contacts: new Map([[contactId, { ...contact, contactTags }]]) };
  },

  async plan({ organization, nowMs }, params) {
    const { contactId } = params;
    const contacts = organization.records.contact;
    const before = contacts.get(contactId);
    if (before === undefined) throw notFound('contact', 'contactId');
    const { label = before.label, contactTags = before.contactTags, notes = before.notes } = params;
    // A contact keeps a label that earlier releases accepted.
    if (label !== before.label) checkLabels(contacts, contactId).require(label, 'label');
    requireDistinct(contactTags, 'tag', 'contactTags');
    const body = { ...before, label, contactTags, notes, updatedAtMs: nowMs };
    return { intent: params, subject: { parameters: () => ({ label, contactTags, notes }) }, prepared: { contactId, body } };
  },

  async run(_context, { prepared: { contactId, body } }) {
    return { result: { contactId }, changes: [{ op: 'putRecord', kind: 'contact', id: contactId, body }] };
  },
});
