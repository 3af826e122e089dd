import type { Activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { ethereumTransaction } from '../policies/transactions.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const payee = '0x00000000000000000000000000000000000000aa';
/** Begins and ends like the payee. */
const fake = '0x000000000000000000bbbbbb00000000000000aa';
const other = '0x1234000000000000000000000000000000005678';

const nothing = {
  contacts: [],
  similarContacts: [],
  tokens: [],
  wallets: [],
  accounts: [],
  privateKeys: [],
  policies: [],
  approvers: [],
};

describeEngines('names of an activity', (subject) => {
  /** An organization with contacts and a pending payment of a member. */
  async function payment() {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const contacts = [payee, fake, other].map((address, at) => ({ label: `Contact ${at}`, address }));
    await root.result('createContacts', { contacts });
    const { addresses } = await createWallet(root);
    const [address = ''] = addresses;
    const member = await createMember(root);
    const policy = { policyName: 'Pay', effect: 'EFFECT_ALLOW', condition: 'tx.is_payment', consensus: 'approvers.count() >= 2' };
    await root.result('createPolicy', { ...policy, notes: '' });
    const unsignedTransaction = ethereumTransaction({ to: payee, value: 1n });
    const params = { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
    const { body } = await member.caller.submit('signTransaction', params);
    return { root, member, address, activityId: body.activity.id as string };
  }
  const restrict = (root: Caller) => root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
  const labels = (contacts: Json[]) => contacts.map(({ label }) => label);

  test('returns the contacts, look-alikes, account, policies and approvers of a payment, and proofs of these names', async () => {
    const { root, address, activityId } = await payment();
    const names = await root.data('getActivityNames', { activityId });
    expect(labels(names.contacts)).toEqual(['Contact 0']);
    expect(labels(names.similarContacts)).toEqual(['Contact 1']);
    expect(names.accounts).toMatchObject([{ address, walletDetails: { walletName: expect.any(String) } }]);
    expect(names.policies).toMatchObject([{ policyName: 'Pay', consensus: 'approvers.count() >= 2' }]);
    const { username } = await root.data('whoami');
    expect(names.approvers).toMatchObject([{ userName: username }]);
    const types = names.proofs.map(({ activity }: Json) => activity.type);
    // The last one wrote the requester and their key.
    expect(types).toEqual(['ACTIVITY_TYPE_CREATE_CONTACTS', 'ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_CREATE_USERS_V3']);
    expect(names.proofs[0].content).toContain(names.contacts[0].contactId);
  });

  test('proves the interface of a called contract, and the requester by the newest name', async () => {
    const { root, member, address } = await payment();
    const abi = [{ type: 'function', name: 'harvest', inputs: [], outputs: [], stateMutability: 'nonpayable' }];
    for (const smartContractAddress of [payee, other])
      await root.result('createSmartContractInterface', {
        ...{ label: smartContractAddress, smartContractAddress, smartContractInterface: JSON.stringify(abi), notes: '' },
        type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      });
    await root.result('createPolicy', {
      ...{ policyName: 'Call', effect: 'EFFECT_ALLOW', notes: '' },
      ...{ condition: "activity.action == 'SIGN'", consensus: 'approvers.count() >= 2' },
    });
    await root.result('updateUserName', { userId: member.userId, userName: 'Renamed' });
    const unsignedTransaction = ethereumTransaction({ to: payee, value: 0n, nonce: 1n, data: '0x4641257d' });
    const params = { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
    const { body } = await member.caller.submit('signTransaction', params);
    const { proofs } = await root.data('getActivityNames', { activityId: body.activity.id });
    const writersOf = (type: string) => proofs.filter(({ activity }: Json) => activity.type === `ACTIVITY_TYPE_${type}`);
    const interfaces = writersOf('CREATE_SMART_CONTRACT_INTERFACE');
    expect(interfaces).toHaveLength(1);
    expect(interfaces[0].content).toContain(payee);
    const [renamed] = writersOf('UPDATE_USER_NAME');
    expect(renamed.content).toContain('"userName":"Renamed"');
    expect(writersOf('CREATE_USERS_V3')[0].content).toContain(member.caller.key.publicKey);
  });

  test('proves the newest activity that wrote a record', async () => {
    const { root, activityId } = await payment();
    const [{ contactId }] = (await root.data('getActivityNames', { activityId })).contacts;
    await root.result('updateContact', { contactId, label: 'Renamed' });
    const { contacts, proofs } = await root.data('getActivityNames', { activityId });
    expect(labels(contacts)).toEqual(['Renamed']);
    expect(proofs[0].activity.type).toBe('ACTIVITY_TYPE_UPDATE_CONTACT');
  });

  test('D1096: names the keys that parameters have by their ids, and proves these names', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [kept, doomed] = [await createWallet(root), await createWallet(root)];
    const privateKeyIds = [await createPrivateKey(root)];
    const member = await createMember(root);
    const condition = "activity.action in ['DELETE', 'EXPORT'] || activity.kind == 'FREEZE'";
    const policy = { policyName: 'All', effect: 'EFFECT_ALLOW', condition, consensus: 'approvers.count() >= 2', notes: '' };
    await root.result('createPolicy', policy);
    const namesFor = async (name: keyof Activities, params: object) => {
      const { body } = await member.caller.submit(name, params);
      return {
        activityId: body.activity.id as string,
        ...(await root.data('getActivityNames', { activityId: body.activity.id })),
      };
    };
    const writersOf = (names: Json) => names.proofs.map(({ activity }: Json) => activity.type);
    const deleteWithoutExport = true;
    const wallets = await namesFor('deleteWallets', { walletIds: [doomed.walletId], deleteWithoutExport });
    expect(wallets).toMatchObject({ wallets: [{ walletId: doomed.walletId, walletName: expect.any(String) }], accounts: [] });
    expect(writersOf(wallets)).toEqual(['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_CREATE_USERS_V3']);
    const { accounts } = await root.data('listWalletAccounts', { walletId: kept.walletId });
    const [{ walletAccountId, address }] = accounts;
    const deleted = await namesFor('deleteWalletAccounts', { walletAccountIds: [walletAccountId], deleteWithoutExport });
    const named = { accounts: [{ walletAccountId, walletDetails: { walletId: kept.walletId } }], wallets: [] };
    expect(deleted).toMatchObject(named);
    expect(await namesFor('exportWalletAccount', { address, targetPublicKey: newTarget().hex })).toMatchObject(named);
    const keys = await namesFor('freeze', { walletIds: [kept.walletId], privateKeyIds, reason: 'test' });
    expect(keys).toMatchObject({ wallets: [{ walletId: kept.walletId }], privateKeys: [{ privateKeyId: privateKeyIds[0] }] });
    expect(writersOf(keys)).toHaveLength(3);
    await restrict(root);
    const theirs = await member.caller.data('getActivityNames', { activityId: keys.activityId });
    expect(theirs).toMatchObject({ ...nothing, proofs: [] });
  });

  test('D973: shows a user without rights only what the user may read, of their own activities', async () => {
    const { root, member, address, activityId } = await payment();
    const theirs = (await root.submit('signRawPayload', signParams(address, uniqueName('Message')))).body.activity.id as string;
    await restrict(root);
    const asked = { activityId, compareWith: [theirs, activityId] };
    const names = await member.caller.data('getActivityNames', asked);
    expect(names).toEqual({
      ...{ ...nothing, namedActivityIds: [activityId] },
      proofs: [expect.objectContaining({ activity: expect.objectContaining({ id: activityId }) })],
    });
    expect(names.proofs[0]).not.toHaveProperty('content');
    expect(errorOf(await member.caller.query('getActivityNames', { activityId: theirs }))).toEqual({
      status: 403,
      code: 'POLICY_DENIED',
    });
    const condition = "activity.action == 'READ' && activity.resource == 'CONTACT'";
    await root.result('createPolicy', { policyName: 'Read', effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' });
    const more = await member.caller.data('getActivityNames', asked);
    expect(labels(more.contacts)).toEqual(['Contact 0']);
    expect({ ...more, contacts: [], similarContacts: [] }).toMatchObject(nothing);
    expect(more.proofs).toHaveLength(1);
  });

  test('returns the names of several activities once, and the policies of the first', async () => {
    const { root, member, address, activityId } = await payment();
    const ask = (to: string, nonce: bigint) => {
      const unsignedTransaction = ethereumTransaction({ to, value: 1n, nonce });
      const params = { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
      return member.caller.submit('signTransaction', params).then(({ body }) => body.activity.id as string);
    };
    const [second, third] = [await ask(other, 1n), await ask(payee, 2n)];
    const moreActivityIds = [second, third, second, activityId, crypto.randomUUID()];
    const names = await root.data('getActivityNames', { activityId, moreActivityIds });
    expect(labels(names.contacts)).toEqual(['Contact 0', 'Contact 2']);
    expect(labels(names.similarContacts)).toEqual(['Contact 1']);
    expect(names.namedActivityIds).toEqual([activityId, second, third]);
    expect(names.accounts).toHaveLength(1);
    const { policies, approvers, proofs } = await root.data('getActivityNames', { activityId });
    expect(names).toMatchObject({ policies, approvers });
    expect(names.proofs.map(({ activity }: Json) => activity.id)).toEqual(proofs.map(({ activity }: Json) => activity.id));
  });

  test('D1052: an activity that the caller may not read, and one of another organization, are the same as none', async () => {
    const [own, foreign] = [await payment(), await payment()];
    const { root, member, address, activityId } = own;
    const unsignedTransaction = ethereumTransaction({ to: other, value: 1n, nonce: 1n });
    const params = { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
    const theirs = (await root.submit('signTransaction', params)).body.activity.id as string;
    // The log grows between two responses.
    const namesWith = async (caller: Caller, id: string) => {
      const names = await caller.data('getActivityNames', { activityId, moreActivityIds: [id] });
      return { ...names, proofs: names.proofs.map((proof: Json) => ({ ...proof, checkpoint: '', hashes: [] })) };
    };
    expect(labels((await namesWith(root, theirs)).contacts)).toEqual(['Contact 0', 'Contact 2']);
    await restrict(root);
    const condition = "activity.action == 'READ' && activity.resource == 'CONTACT'";
    await root.result('createPolicy', { policyName: 'Read', effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' });
    const nobodys = await namesWith(member.caller, crypto.randomUUID());
    expect(labels(nobodys.contacts)).toEqual(['Contact 0']);
    for (const id of [theirs, foreign.activityId]) expect(await namesWith(member.caller, id)).toEqual(nobodys);
    expect(await namesWith(root, foreign.activityId)).toEqual(await namesWith(root, crypto.randomUUID()));
  });

  test('D973: proves no activity of another organization', async () => {
    const [own, foreign] = [await payment(), await payment()];
    const { proofs } = await own.root.data('getActivityNames', { activityId: own.activityId, compareWith: [foreign.activityId] });
    expect(JSON.stringify(proofs)).not.toContain(foreign.root.organizationId);
  });
});
