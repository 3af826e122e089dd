import { MAX_IN_ORGANIZATION, MAX_IN_ORGANIZATION_CHARACTERS, maskFeature, queries, type TagShape } from '@countersign/contract';
import { showInvitation, showPolicy, showPrivateKey, showTag, showUser, showWallet } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { type Bounds, collect, type Shorten } from '../collect.ts';
import { each, shown } from '../page.ts';
import { shortenPolicy, shortenUser } from '../shorten.ts';

const bounds: Bounds = { items: MAX_IN_ORGANIZATION, characters: MAX_IN_ORGANIZATION_CHARACTERS };

/** One list of an organization: the oldest items, and the query that returns the rest. */
interface List<S> {
  readonly list: string;
  readonly query: string;
  /** Number of items, including those that are left out. */
  readonly size: number;
  readonly items: Iterable<S>;
  readonly shorten?: Shorten<S>;
}

export const getOrganization = resolve(queries.getOrganization, async (context) => {
  const { resources, organization, showBeyondSpec, endSlice } = context;
  const { id: organizationId, users, policies, records, keyCounts } = organization;
  const { name, rootQuorum, features } = organization.profile;
  const leftOut: { list: string; count: number; query: string }[] = [];

  async function oldest<S>({ list, query, size, items: all, shorten }: List<S>): Promise<S[]> {
    const { items, isCut } = await collect(context, all, shorten, bounds);
    // A key that was deleted since the organization was read does not count as left out.
    if (size > items.length && (isCut || items.length >= bounds.items)) leftOut.push({ list, count: size - items.length, query });
    return items;
  }
  const keysOf = <K extends 'privateKey' | 'wallet'>(kind: K) => resources.first(organizationId, kind, bounds.items, endSlice);
  const tagsOf = (query: string, tags: typeof records.userTag, type: TagShape['tagType']) =>
    oldest({ list: 'tags', query, size: tags.size, items: shown(tags, (id, tag) => showTag(id, tag, type)) });
  const { userTag, privateKeyTag, smartContractInterface, invitation } = records;

  const organizationData = {
    organizationId,
    name,
    users: await oldest({
      list: 'users',
      query: 'list_users',
      size: users.size,
      items: shown(users, (id) => showUser(organization, id, showBeyondSpec)),
      shorten: shortenUser,
    }),
    policies: await oldest({
      list: 'policies',
      query: 'list_policies',
      size: policies.size,
      items: shown(policies, (id, policy) => showPolicy(id, policy, showBeyondSpec)),
      shorten: shortenPolicy,
    }),
    privateKeys: await oldest({
      list: 'privateKeys',
      query: 'list_private_keys',
      size: keyCounts.privateKey ?? 0,
      items: each(await keysOf('privateKey'), (key) => showPrivateKey(key, showBeyondSpec ? organization : undefined)),
    }),
    invitations: [...invitation].map(([id, open]) => showInvitation(id, open)),
    tags: [
      ...(await tagsOf('list_user_tags', userTag, 'TAG_TYPE_USER')),
      ...(await tagsOf('list_private_key_tags', privateKeyTag, 'TAG_TYPE_PRIVATE_KEY')),
    ],
    rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
    features: features.map(maskFeature),
    wallets: await oldest({
      list: 'wallets',
      query: 'list_wallets',
      size: keyCounts.wallet ?? 0,
      items: each(await keysOf('wallet'), (wallet) => showWallet(wallet, showBeyondSpec ? organization : undefined)),
    }),
    smartContractInterfaceReferences: await oldest({
      list: 'smartContractInterfaceReferences',
      query: 'list_smart_contract_interfaces',
      size: smartContractInterface.size,
      items: shown(smartContractInterface, (smartContractInterfaceId, { smartContractAddress }) => ({
        smartContractInterfaceId,
        smartContractAddress,
      })),
    }),
  };
  return { organizationData: { ...organizationData, ...(leftOut.length > 0 && { leftOut }) } };
});
