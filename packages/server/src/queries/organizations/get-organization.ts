import { MAX_IN_ORGANIZATION, queries } from '@countersign/contract';
import type { PersistentMap } from '@countersign/policy';
import { showInvitation, showPolicy, showPrivateKey, showTag, showUser, showWallet } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const getOrganization = resolve(queries.getOrganization, async ({ resources, organization, showBeyondSpec }) => {
  const { id: organizationId, users, policies, records, keyCounts } = organization;
  const { name, rootQuorum, features } = organization.profile;
  const [privateKeys, wallets] = await Promise.all([
    resources.first(organizationId, 'privateKey', MAX_IN_ORGANIZATION),
    resources.first(organizationId, 'wallet', MAX_IN_ORGANIZATION),
  ]);
  const tags = [
    ...oldest(records.userTag, (id, tag) => showTag(id, tag, 'TAG_TYPE_USER')),
    ...oldest(records.privateKeyTag, (id, tag) => showTag(id, tag, 'TAG_TYPE_PRIVATE_KEY')),
  ];
  const leftOut = [
    { list: 'users', size: users.size, query: 'list_users' },
    { list: 'policies', size: policies.size, query: 'list_policies' },
    { list: 'privateKeys', size: keyCounts.privateKey ?? 0, query: 'list_private_keys' },
    { list: 'wallets', size: keyCounts.wallet ?? 0, query: 'list_wallets' },
    { list: 'tags', size: records.userTag.size, query: 'list_user_tags' },
    { list: 'tags', size: records.privateKeyTag.size, query: 'list_private_key_tags' },
    {
      list: 'smartContractInterfaceReferences',
      size: records.smartContractInterface.size,
      query: 'list_smart_contract_interfaces',
    },
  ]
    .filter(({ size }) => size > MAX_IN_ORGANIZATION)
    .map(({ list, size, query }) => ({ list, count: size - MAX_IN_ORGANIZATION, query }));
  return {
    organizationData: {
      organizationId,
      name,
      users: oldest(users, (userId) => showUser(organization, userId, showBeyondSpec)),
      policies: oldest(policies, (id, policy) => showPolicy(id, policy, showBeyondSpec)),
      privateKeys: privateKeys.map((key) => showPrivateKey(key, showBeyondSpec)),
      invitations: [...records.invitation].map(([id, invitation]) => showInvitation(id, invitation)),
      tags,
      rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
      features: [...features],
      wallets: wallets.map(showWallet),
      smartContractInterfaceReferences: oldest(records.smartContractInterface, (id, { smartContractAddress }) => ({
        smartContractInterfaceId: id,
        smartContractAddress,
      })),
      ...(leftOut.length > 0 && { leftOut }),
    },
  };
});

/** The oldest records of a kind, as many as an organization is shown with. */
function oldest<V, S>(all: PersistentMap<V>, show: (id: string, record: V) => S | undefined): S[] {
  const items: S[] = [];
  for (const [id, record] of all) {
    if (items.length >= MAX_IN_ORGANIZATION) break;
    const item = show(id, record);
    if (item !== undefined) items.push(item);
  }
  return items;
}
