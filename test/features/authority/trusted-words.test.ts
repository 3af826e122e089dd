import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createPrivateKey,
  createWallet,
  errorOf,
  ethereumAccount,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf } from '../policies/support.ts';
import { newAddress } from '../sign-in/mail-support.ts';

const SIGNING = "activity.action == 'SIGN'";

describeEngines('user attributes that policies trust', (subject) => {
  const refused = { status: 403, code: 'POLICY_DENIED' };

  /** An organization where one policy, or two, allow signing, and a member may do what `managing` says. */
  async function managed(consensus: string, managing = "activity.resource in ['USER', 'INVITATION']") {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    await createPolicy(root, 'ALLOW', { condition: SIGNING, consensus });
    await createPolicy(root, 'ALLOW', { condition: managing });
    return { root, manager: memberAt(organization, 0), other: memberAt(organization, 1) };
  }

  const userIs = (field: string, value: string) => `approvers.any(user, user.${field} == '${value}')`;

  test('A47: a policy over users cannot create a user with an address that another policy trusts, in any case', async () => {
    const trusted = newAddress();
    const { root, manager } = await managed(userIs('email', trusted));
    const { caller, userId: senderUserId } = manager;
    const invitation = {
      receiverUserName: uniqueName('Puppet'),
      receiverUserTags: [],
      accessType: 'ACCESS_TYPE_WEB',
      senderUserId,
    };
    const attempts = (userEmail: string) => {
      const { apiKeys, userTags, ...user } = userParams(newApiKey());
      return [
        ['createUsers', { users: [{ ...user, apiKeys, userTags, userEmail }] }],
        ['createApiOnlyUsers', { apiOnlyUsers: [{ userName: uniqueName('Robot'), userEmail, userTags, apiKeys: [] }] }],
        ['createInvitations', { invitations: [{ ...invitation, receiverUserEmail: userEmail }] }],
      ] as const;
    };
    for (const [name, params] of [...attempts(trusted), ...attempts(trusted.toUpperCase())])
      expect({ name, ...errorOf(await caller.submit(name, params)) }).toMatchObject({ name, ...refused });
    for (const [name, params] of attempts(newAddress()))
      expect({ name, ...(await caller.submit(name, params)) }).toMatchObject({ name, status: 200 });
    // A policy that says which addresses it gives out is taken at its word.
    const condition = `activity.kind == 'CREATE_USERS' && activity.params.users.all(user, user.user_email == '${trusted}')`;
    await createPolicy(root, 'ALLOW', { condition });
    const [[name, params]] = attempts(trusted);
    expect(outcomeOf(await caller.submit(name, params))).toBe('200 COMPLETED');
  });

  test('A48: a trusted name may contain a quote', async () => {
    const { manager } = await managed(userIs('alias', "Pat O\\'Neil"));
    const { caller, userId } = manager;
    expect(errorOf(await caller.submit('updateUserName', { userId, userName: "Pat O'Neil" }))).toMatchObject(refused);
    expect(outcomeOf(await caller.submit('updateUserName', { userId, userName: "Sam O'Neil" }))).toBe('200 COMPLETED');
  });

  test('A48: users cannot drop a name or an address that a DENY policy names', async () => {
    const { root, manager, other } = await managed('true');
    const [name, email] = [uniqueName('Intern'), newAddress()];
    await root.result('updateUser', { userId: other.userId, userName: name, userEmail: email });
    await createPolicy(root, 'DENY', { condition: SIGNING, consensus: userIs('alias', name) });
    await createPolicy(root, 'DENY', { condition: SIGNING, consensus: userIs('email', email) });
    const { userId } = other;
    for (const [activity, params] of [
      ['updateUserName', { userId, userName: uniqueName('Other') }],
      ['updateUser', { userId, userName: uniqueName('Other') }],
      ['updateUser', { userId, userEmail: newAddress() }],
      ['updateUserEmail', { userId, userEmail: newAddress() }],
      ['updateUserEmail', { userId, userEmail: '' }],
    ] as const)
      expect({ activity, ...errorOf(await manager.caller.submit(activity, params)) }).toMatchObject({ activity, ...refused });
    const { addresses } = await createWallet(root);
    expect(errorOf(await other.caller.submit('signRawPayload', signParams(addresses[0] as string)))).toMatchObject(refused);
    const own = { userId: manager.userId, userName: uniqueName('Renamed'), userEmail: newAddress() };
    expect(outcomeOf(await manager.caller.submit('updateUser', own))).toBe('200 COMPLETED');
  });

  test('A48: a policy that lists activity types trusts tags only for types about tags', async () => {
    const { root, manager, other } = await managed(
      'true',
      "activity.kind in ['UPDATE_USER', 'CREATE_USER_TAG', 'UPDATE_USER_TAG']",
    );
    const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Treasury'), userIds: [] });
    await createPolicy(root, 'ALLOW', {
      condition: SIGNING,
      consensus: `approvers.any(user, user.tags.contains('${userTagId}'))`,
    });
    const { userId } = other;
    const given = await manager.caller.submit('updateUser', { userId, userTagIds: [userTagId] });
    expect(errorOf(given)).toMatchObject(refused);
    const named = { userTagId, addUserIds: [userId], removeUserIds: [] };
    expect(outcomeOf(await manager.caller.submit('updateUserTag', named))).toBe('200 COMPLETED');
    expect(outcomeOf(await manager.caller.submit('updateUser', { userId, userName: uniqueName('Other') }))).toBe('200 COMPLETED');
  });

  test('A55: managers of keys and wallets cannot assign a tag or name that a signing policy trusts', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { root } = organization;
    const { caller } = memberAt(organization, 0);
    const newTag = async () => {
      const params = { privateKeyTagName: uniqueName('Tag'), privateKeyIds: [] };
      return (await root.result('createPrivateKeyTag', params)).privateKeyTagId;
    };
    const [trusted, plain, label] = [await newTag(), await newTag(), uniqueName('Hot')];
    const privateKeyId = await createPrivateKey(root);
    const { walletId } = await createWallet(root);
    await createPolicy(root, 'ALLOW', { condition: `${SIGNING} && private_key.tags.contains('${trusted}')` });
    await createPolicy(root, 'ALLOW', { condition: `${SIGNING} && wallet.label == '${label}'` });
    await createPolicy(root, 'ALLOW', {
      condition: "activity.resource in ['PRIVATE_KEY', 'WALLET'] && activity.action != 'SIGN'",
    });
    const tagging = (privateKeyTagId: string) => ({ privateKeyTagId, addPrivateKeyIds: [privateKeyId], removePrivateKeyIds: [] });
    for (const [name, params] of [
      ['updatePrivateKeyTag', tagging(trusted)],
      ['deletePrivateKeyTags', { privateKeyTagIds: [trusted] }],
      ['updateWallet', { walletId, walletName: label }],
    ] as const)
      expect({ name, ...errorOf(await caller.submit(name, params)) }).toMatchObject({ name, ...refused });
    for (const [name, params] of [
      ['updatePrivateKeyTag', tagging(plain)],
      ['updatePrivateKeyTag', { ...tagging(trusted), addPrivateKeyIds: [], newPrivateKeyTagName: uniqueName('Renamed') }],
      ['deletePrivateKeyTags', { privateKeyTagIds: [plain] }],
      ['updateWallet', { walletId, walletName: uniqueName('Cold') }],
    ] as const)
      expect({ name, ...(await caller.submit(name, params)) }).toMatchObject({ name, status: 200 });
    await createPolicy(root, 'ALLOW', { condition: "activity.kind in ['UPDATE_PRIVATE_KEY_TAG', 'UPDATE_WALLET']" });
    expect(outcomeOf(await caller.submit('updatePrivateKeyTag', tagging(trusted)))).toBe('200 COMPLETED');
    expect(outcomeOf(await caller.submit('updateWallet', { walletId, walletName: label }))).toBe('200 COMPLETED');
  });

  test('A55: a key whose address a policy names gets no second address that the policy does not cover', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { root } = organization;
    const { caller } = memberAt(organization, 0);
    const { walletId, addresses } = await createWallet(root, 2);
    const [denied = '', free = ''] = addresses;
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'WALLET' || activity.action == 'SIGN'" });
    await createPolicy(root, 'ALLOW', { condition: "activity.kind == 'CREATE_WALLET_ACCOUNTS'" });
    await createPolicy(root, 'DENY', { condition: `${SIGNING} && wallet_account.address == '${denied.toLowerCase()}'` });
    const another = (index: number, persist = true) =>
      caller.submit('createWalletAccounts', {
        walletId,
        accounts: [{ ...ethereumAccount(index), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' }],
        persist,
      });
    expect(errorOf(await caller.submit('signRawPayload', signParams(denied)))).toMatchObject(refused);
    expect(errorOf(await another(0))).toMatchObject(refused);
    // What is not recorded cannot sign, and the address of another key is not named.
    const derived = await another(0, false);
    expect(outcomeOf(derived)).toBe('200 COMPLETED');
    expect(outcomeOf(await another(1))).toBe('200 COMPLETED');
    expect(outcomeOf(await caller.submit('signRawPayload', signParams(free)))).toBe('200 COMPLETED');
    await createPolicy(root, 'ALLOW', {
      condition: "activity.kind == 'CREATE_WALLET_ACCOUNTS' && activity.params.accounts.all(a, a.curve == 'CURVE_SECP256K1')",
    });
    expect(outcomeOf(await another(0))).toBe('200 COMPLETED');
  });
});
