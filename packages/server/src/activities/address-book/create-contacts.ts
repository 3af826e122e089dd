import { readChainAddress } from '@countersign/chains';
import { activities, chainNames } from '@countersign/contract';
import { checkLabels } from '../../organizations/names.ts';
import { contactsByAddress, takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded, requireDistinct } from '../../wire/refuse.ts';

export const createContacts = execute(activities.createContacts, {
  locksOrganization: true,

  contextChange: ({ nowMs }, { contacts }) => ({
    contacts: new Map(
      contacts.map(({ label, address, contactTags = [], notes = '' }) => [
        `new:${label}`,
        { label, address: readChainAddress(address) ?? address, contactTags, notes, createdAtMs: nowMs, updatedAtMs: nowMs },
      ]),
    ),
  }),

  async plan({ organization, limits, nowMs }, params) {
    const known = organization.records.contact;
    if (known.size + params.contacts.length > limits.maxContacts)
      throw limitExceeded('contacts', limits.maxContacts, 'maxContacts');
    const labels = checkLabels(known);
    const addresses = takenIn(contactsByAddress(known));
    const prepared = params.contacts.map(({ label, address: given, contactTags = [], notes = '' }, index) => {
      const field = `contacts.${index}`;
      const address = readChainAddress(given);
      if (address === undefined)
        throw invalidField(`${field}.address`, `must be an address on ${chainNames}, with a correct checksum`);
      labels.require(label, `${field}.label`);
      // INVARIANT: an address has one label, so that it cannot look like two parties.
      if (addresses.has(address)) throw invalidField(`${field}.address`, 'is already in the address book; update that contact');
      requireDistinct(contactTags, 'tag', `${field}.contactTags`);
      addresses.add(address);
      return { label, address, contactTags, notes, createdAtMs: nowMs, updatedAtMs: nowMs };
    });
    const parameters = () => ({
      contacts: prepared.map(({ label, address, contactTags, notes }) => ({ label, address, contactTags, notes })),
    });
    return { intent: params, subject: { parameters }, prepared };
  },

  async run({ newId }, { prepared }) {
    const changes = prepared.map((body) => ({ op: 'putRecord' as const, kind: 'contact' as const, id: newId(), body }));
    return { result: { contactIds: changes.map(({ id }) => id) }, changes };
  },
});
