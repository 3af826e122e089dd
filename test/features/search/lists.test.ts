import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization, createWallet, errorOf } from '../../support/world.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;

describeEngines('lists that match a text', (subject) => {
  const top = () => subject().service.root;

  test('contacts are found by label, tag, id and address, in pages', async () => {
    const { caller: root } = await createSubOrganization(top());
    const contacts = Array.from('ABCDEFGHJKMNPQRSTUVW', (letter, index) => ({
      label: `Vendor ${letter}`,
      address: address((16 + index).toString(16)),
      contactTags: index % 2 === 0 ? ['even'] : [],
    }));
    const { contactIds } = await root.result('createContacts', { contacts });
    const labels = async (input: object) =>
      (await root.data('listContacts', input)).contacts.map(({ label }: { label: string }) => label);
    expect(await labels({ matching: 'vendor c' })).toEqual(['Vendor C']);
    expect(await labels({ matching: contactIds[1] })).toEqual(['Vendor B']);
    expect(await labels({ matching: address('11').slice(0, 30) })).toEqual(['Vendor B']);
    expect(await labels({ matching: 'even', paginationOptions: { limit: '2' } })).toEqual(['Vendor V', 'Vendor T']);
    expect(await labels({ matching: 'Vendor' })).toHaveLength(10);
    expect(await labels({ matching: 'nobody' })).toEqual([]);
    expect(await labels({ addresses: [address('12').toUpperCase().replace('0X', '0x'), address('99')] })).toEqual(['Vendor C']);
    expect(await labels({})).toHaveLength(20);
  });

  test('users, wallets, accounts and policies are found by name, id or address', async () => {
    const { caller: root } = await createSubOrganization(top());
    const { userId } = await createMember(root);
    await root.result('updateUser', { userId, userName: 'Barbara Liskov', userEmail: 'barbara@example.com' });
    await root.result('createUserTag', { userTagName: 'Treasurers', userIds: [userId] });
    for (const matching of ['liskov', 'barbara@', userId, 'treasurer']) {
      const { users } = await root.data('listUsers', { matching });
      expect(users.map((user: { userId: string }) => user.userId)).toEqual([userId]);
    }
    const { walletId, addresses } = await createWallet(root);
    await createWallet(root);
    await root.result('updateWallet', { walletId, walletName: 'Payroll Europe' });
    for (const matching of ['payroll', walletId]) {
      const { wallets } = await root.data('listWallets', { matching });
      expect(wallets.map((wallet: { walletId: string }) => wallet.walletId)).toEqual([walletId]);
    }
    const { accounts } = await root.data('listWalletAccounts', { address: addresses[0] });
    expect(accounts.map((account: { address: string }) => account.address)).toEqual(addresses);
    expect((await root.data('listWalletAccounts', { address: address('77') })).accounts).toEqual([]);
    const policy = { effect: 'EFFECT_DENY', condition: "activity.action == 'EXPORT'", notes: '' };
    const { policyId } = await root.result('createPolicy', { policyName: 'Never export', ...policy });
    const { policies } = await root.data('listPolicies', { matching: 'EXPORT' });
    expect(policies.map((found: { policyId: string }) => found.policyId)).toEqual([policyId]);
  });

  test('private keys are found by name, id or address', async () => {
    const { caller: root } = await createSubOrganization(top());
    const ids = [await createPrivateKey(root), await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])];
    const { privateKeys: all } = await root.data('listPrivateKeys', {});
    const [, second] = all;
    for (const matching of [second.privateKeyName, second.addresses[0].address.toUpperCase().replace('0X', '0x'), ids[1]]) {
      const found = await root.data('listPrivateKeys', { matching });
      expect(found.privateKeys).toEqual([second]);
      expect(found).not.toHaveProperty('next');
    }
    expect((await root.data('listPrivateKeys', { matching: 'nothing' })).privateKeys).toEqual([]);
  });

  test('D824: a text finds nothing in a list that the caller may not read, and nothing of another organization', async () => {
    const [one, two] = [await createSubOrganization(top()), await createSubOrganization(top())];
    const contact = { label: 'Globex', address: address('42'), contactTags: [] };
    await one.caller.result('createContacts', { contacts: [contact] });
    expect((await two.caller.data('listContacts', { matching: 'Globex' })).contacts).toEqual([]);
    expect((await two.caller.data('listContacts', { addresses: [contact.address] })).contacts).toEqual([]);
    const { caller } = await createMember(one.caller);
    await one.caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    for (const name of ['listContacts', 'listUsers', 'listWallets', 'listPrivateKeys', 'listPolicies'] as const) {
      const [some, none] = await Promise.all(['Globex', 'Nothing'].map((matching) => caller.query(name, { matching })));
      expect(errorOf(some as never)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect((some as { status: number }).status).toBe((none as { status: number }).status);
    }
  });
});
