import { policyAddress } from '@countersign/chains';
import { ApiKeyStamper, type Client, createClient } from '@countersign/client';
import { expect, test } from 'vitest';
import { ethereumTransaction } from '../../../test/features/policies/transactions.ts';
import type { Caller } from '../../../test/support/caller.ts';
import { describeEngines } from '../../../test/support/describe-engines.ts';
import { createSubOrganization, createWallet } from '../../../test/support/world.ts';
import { createProver, type Evidence } from '../src/review/proof/prove-record.ts';

const address = '0x00000000000000000000000000000000000000aa';
const payee = '0x00000000000000000000000000000000000000cc';

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

    test('D974: evidence that comes with the names is verified, and saves the calls for it', async () => {
      const { root } = subject().service;
      const { addresses } = await createWallet(root);
      await root.result('createContacts', { contacts: [{ label: 'Payee', address: payee }] });
      const unsignedTransaction = ethereumTransaction({ to: payee, value: 1n });
      const params = { signWith: addresses[0], type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
      const { id: activityId } = (await root.submit('signTransaction', params)).body.activity;
      const names = await clientOf(root).getActivityNames({ activityId });
      const [contact] = names.contacts;
      if (contact === undefined) throw new Error('there is no contact');
      const { contactId: id, label, updatedAt } = contact;
      const record = { kind: 'contact', id, updatedAt, body: { label, address: policyAddress(payee) } } as const;
      const text = await (await fetch(`${root.url}/log/key`)).text();
      const loadKey = async () => ({ text: text.trim(), state: 'known' as const });
      const none = async () => ({ activities: [] });
      const offline = { organizationId: root.organizationId, listActivities: none } as unknown as Client;
      const proofWith = (change: (proof: Evidence) => Evidence, wanted = record) => {
        const prover = createProver(offline, loadKey);
        prover.add(names.proofs.map(change));
        return prover.record(wanted);
      };
      expect(await proofWith((proof) => proof)).toMatchObject({ activityId: expect.any(String) });
      const another = { ...record, body: { ...record.body, label: 'Acme' } };
      expect(await proofWith((proof) => proof, another)).toBeUndefined();
      const renamed = ({ content = '', ...proof }: Evidence) => ({ ...proof, content: content.replaceAll('Payee', 'Acme') });
      expect(names.proofs.map(renamed).some(({ content }) => content.includes('Acme'))).toBe(true);
      expect(await proofWith(renamed, another)).toBeUndefined();
      const salted = ({ leaf, ...proof }: Evidence) => ({ ...proof, leaf: { ...leaf, salt: '00'.repeat(32) } });
      expect(await proofWith(salted)).toBeUndefined();
    });
  },
  {},
  ['sqlite'],
);
