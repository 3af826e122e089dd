import { queries } from '@countersign/contract';
import { showInvitation, showPolicy, showPrivateKey, showTags, showUser, showWallet } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const getOrganization = resolve(queries.getOrganization, async ({ resources, organization, showBeyondSpec }) => {
  const { id: organizationId, users, policies, records } = organization;
  const { name, rootQuorum, features } = organization.profile;
  const [privateKeys, wallets] = await Promise.all([
    resources.list(organizationId, 'privateKey'),
    resources.list(organizationId, 'wallet'),
  ]);
  return {
    organizationData: {
      organizationId,
      name,
      users: [...users.keys()].flatMap((userId) => showUser(organization, userId, showBeyondSpec) ?? []),
      policies: [...policies].map(([id, policy]) => showPolicy(id, policy, showBeyondSpec)),
      privateKeys: privateKeys.map((key) => showPrivateKey(key, showBeyondSpec)),
      invitations: [...records.invitation].map(([id, invitation]) => showInvitation(id, invitation)),
      tags: [...showTags(records.userTag, 'TAG_TYPE_USER'), ...showTags(records.privateKeyTag, 'TAG_TYPE_PRIVATE_KEY')],
      rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
      features: [...features],
      wallets: wallets.map(showWallet),
      smartContractInterfaceReferences: [...records.smartContractInterface].map(([id, { smartContractAddress }]) => ({
        smartContractInterfaceId: id,
        smartContractAddress,
      })),
    },
  };
});
