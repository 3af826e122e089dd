import { activities, type OtpType, ServiceError } from '@countersign/contract';
import { contactFields } from '../../organizations/contacts.ts';
import { requireVisible } from '../../organizations/names.ts';
import type { NewOrganization } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { firstRepeated, invalidField, limitExceeded, nameTaken } from '../../wire/refuse.ts';
import { generatePrivateKeys, requirePrivateKeys } from '../keys/new-private-keys.ts';
import { requireNewUsersInReach } from '../quorum-in-reach.ts';
import { proveSignUp } from '../sign-in/prove-sign-up.ts';
import { requirePublicSignUp } from '../sign-in/public-sign-up.ts';
import { type NewUser, noneTaken, readEachUser, recordUser, tokensOf, usersWithClaims } from '../users/new-user.ts';
import { readAccounts } from '../wallets/new-accounts.ts';
import { generateWallet, newWallet } from '../wallets/new-wallet.ts';
import { defaultFeatures } from './default-features.ts';

export const createSubOrganization = execute(activities.createSubOrganization, {
  // The parent does not change, except that a verification token is used up, so sub-organizations can be created concurrently.
  locksOrganization: false,

  oidcTokens: ({ rootUsers }) => tokensOf(rootUsers),

  async plan(context, params) {
    const { organization, limits } = context;
    const { rootUsers, rootQuorumThreshold, wallet, privateKeys = [] } = params;
    if (organization.profile.parentId !== null) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'A sub-organization cannot have sub-organizations. Create it under the parent organization.',
      );
    }
    if (params.verificationToken === undefined && params.clientSignature !== undefined)
      throw invalidField('clientSignature', 'requires verificationToken, which is missing');
    if (rootUsers.length > limits.maxUsers) throw limitExceeded('users', limits.maxUsers, 'maxUsers');
    if (privateKeys.length > limits.maxPrivateKeys) throw limitExceeded('private keys', limits.maxPrivateKeys, 'maxPrivateKeys');
    if (rootQuorumThreshold > rootUsers.length) {
      throw invalidField('rootQuorumThreshold', `must be at most ${rootUsers.length}, the number of root users`);
    }
    const repeated = firstRepeated(rootUsers.map((user) => user.userName));
    if (repeated !== undefined) throw nameTaken('user', `rootUsers.${repeated}.userName`);
    requirePrivateKeys(privateKeys);
    if (wallet) requireVisible(wallet.walletName, 'wallet.walletName');
    const accounts = wallet && readAccounts(wallet.accounts, 'wallet.accounts');
    const users = await readEachUser(context, rootUsers, 'rootUsers', noneTaken());
    requireNewUsersInReach(users, rootQuorumThreshold);
    const parameters = () => ({ rootUsers: usersWithClaims(rootUsers, users) });
    return { intent: params, subject: { parameters }, prepared: { params, users, accounts } };
  },

  async run(context, { prepared: { params, users, accounts } }) {
    const { organization, vault, newId, newOrganizationId, nowMs } = context;
    const signUp = await requirePublicSignUp(context, params);
    const { proven, useToken } = proveSignUp(context, params);
    const organizationId = newOrganizationId();
    const dataKey = await vault.service.createDataKey(organizationId);
    const rootUserIds = users.map(() => newId());
    const wallet =
      params.wallet &&
      accounts &&
      (await generateWallet(
        context,
        organizationId,
        newWallet(params.wallet.walletName, params.wallet.mnemonicLength, accounts),
      ));
    const keys = await generatePrivateKeys(context, organizationId, params.privateKeys ?? []);
    const body = {
      name: params.subOrganizationName,
      parentId: organization.id,
      rootQuorum: { threshold: params.rootQuorumThreshold, userIds: rootUserIds },
      features: defaultFeatures(params),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const created: NewOrganization = {
      op: 'createOrganization',
      organizationId,
      dataKey,
      changes: [
        { op: 'putRecord', kind: 'organization', id: organizationId, body },
        ...users.flatMap((user, index) => {
          const stated = signUp.isStatedByParent ? statedByParent(user) : user;
          const recorded = proven?.index === index ? withProof(stated, proven, nowMs) : stated;
          return recordUser(rootUserIds[index] as string, recorded, newId);
        }),
        ...(wallet?.changes ?? []),
        ...keys.changes,
      ],
    };
    const result = {
      subOrganizationId: organizationId,
      ...(wallet && { wallet: wallet.result }),
      ...(params.privateKeys && { privateKeys: keys.results }),
      rootUserIds,
    };
    const used = [...useToken(rootUserIds), ...signUp.useIdentity(rootUserIds[0] ?? '')];
    return { result, changes: [created, ...used], charges: signUp.charges };
  },
});

/** Marks the credentials of a new user as the parent's statement. Under the parent's id, they resolve to this sub-organization. */
function statedByParent(user: NewUser): NewUser {
  return {
    ...user,
    apiKeys: user.apiKeys.map((key) => ({ ...key, statedByParent: true })),
    authenticators: user.authenticators.map((passkey) => ({ ...passkey, statedByParent: true })),
  };
}

/** Marks what a token of the request proves: the contact of a new user, and possession of the API key that signed the sign-up. */
function withProof(
  user: NewUser,
  { type, publicKey }: { readonly type: OtpType; readonly publicKey: string },
  atMs: number,
): NewUser {
  return {
    ...user,
    user: { ...user.user, [contactFields[type].state]: { how: 'CODE', atMs } },
    apiKeys: user.apiKeys.map((key) => (key.publicKey === publicKey ? { ...key, provenAtMs: atMs } : key)),
  };
}
