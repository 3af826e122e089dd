import { policyAddress } from '@countersign/chains';
import { ApiKeyStamper, createClient } from '@countersign/client';
import { expect, test } from 'vitest';
import type { Caller } from '../../../test/support/caller.ts';
import { describeEngines } from '../../../test/support/describe-engines.ts';
import { createSubOrganization } from '../../../test/support/world.ts';
import { createProver } from '../src/review/proof/prove-record.ts';

const address = '0x00000000000000000000000000000000000000aa';

function clientOf({ url, organizationId, key: { publicKey, privateKey } }: Caller) {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  return createClient({ baseUrl: url, organizationId, stamper });
}

describeEngines(
  'proofs of names',
  (subject) => {
    test('D851: what another organization wrote in the same log proves no name', async () => {
      const { root } = subject().service;
      const { caller: stranger } = await createSubOrganization(root);
      // The first leaf of a sub-organization comes after that of its creation, which its audit records include.
      await stranger.result('createContacts', {
        contacts: [{ label: 'Other', address: '0x00000000000000000000000000000000000000bb' }],
      });
      await stranger.result('createContacts', { contacts: [{ label: 'Acme GmbH', address }] });
      const theirs = clientOf(stranger);
      const { contacts } = await theirs.listContacts({});
      const contact = contacts.find(({ label }) => label === 'Acme GmbH');
      if (contact === undefined) throw new Error('there is no contact');
      const { contactId: id, label, updatedAt } = contact;
      const record = { kind: 'contact', id, updatedAt, body: { label, address: policyAddress(contact.address) } } as const;
      const text = await (await fetch(`${root.url}/log/key`)).text();
      const loadKey = async () => ({ text: text.trim(), state: 'known' as const });
      expect(await createProver(theirs, loadKey).record(record)).toMatchObject({ activityId: expect.any(String) });
      // Responses that were replaced on their way by those of the stranger.
      const replaced = { ...theirs, organizationId: root.organizationId };
      expect(await createProver(replaced, loadKey).record(record)).toBeUndefined();
    });
  },
  {},
  ['sqlite'],
);
