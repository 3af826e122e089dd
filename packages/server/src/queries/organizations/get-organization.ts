import { MAX_IN_ORGANIZATION, MAX_IN_ORGANIZATION_CHARACTERS, queries, type TagShape } from '@countersign/contract';
import { macText } from '../../organizations/snapshot/snapshot.ts';
import { showInvitation, showPolicy, showPrivateKey, showTag, showUser, showWallet } from '../../organizations/views.ts';
import { type QueryContext, resolve } from '../../pipeline/query.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import { writeObject } from '../../wire/written-json.ts';
import { each, shown } from '../page.ts';
import { type Bounds, toList, writeItems } from '../write-items.ts';

/** Cached per dialect and state of the organization: clients request it often, and thousands of items are expensive to write. */
export const getOrganization = resolve(queries.getOrganization, (context) => {
  const { organization, snapshots, keptAnswers, showBeyondSpec } = context;
  const { id, head } = organization;
  return keptAnswers.get(`${id}/${macText(head.mac)}/${showBeyondSpec}`, async () => {
    const { organizationData, hasAllKeys } = await writeOrganization(context);
    // INVARIANT: if the head is unchanged, the keys that were read belong to the same state as the records.
    const now = await snapshots.current(id);
    // SECURITY: each key is verified, but a key may have been removed from the database. Do not cache the response without that key.
    const mayKeep = hasAllKeys && now !== undefined && macsEqual(now.head.mac, head.mac);
    return { answer: writeObject({ organizationData }), mayKeep };
  });
});

const bounds: Bounds = { items: MAX_IN_ORGANIZATION, characters: MAX_IN_ORGANIZATION_CHARACTERS };

async function writeOrganization({ resources, organization, showBeyondSpec, endSlice }: QueryContext) {
  const { id: organizationId, users, policies, records, keyCounts } = organization;
  const { name, rootQuorum, features } = organization.profile;
  const leftOut: { list: string; count: number; query: string }[] = [];
  /** Writes the oldest items, up to the limit. Records how many are left out, and the query that returns them. */
  async function write<S>(list: string, query: string, size: number, items: Iterable<S>): Promise<readonly string[]> {
    const { texts, isCut } = await writeItems(endSlice, items, bounds);
    // A key that was deleted since the organization was read does not count as left out.
    if (size > texts.length && (isCut || texts.length >= bounds.items)) leftOut.push({ list, count: size - texts.length, query });
    return texts;
  }
  const listed = async <S>(...of: Parameters<typeof write<S>>) => toList<S>(endSlice, await write(...of));
  let hasAllKeys = true;
  async function first<K extends 'privateKey' | 'wallet'>(kind: K) {
    const keys = await resources.first(organizationId, kind, bounds.items, endSlice);
    if (keys.length < Math.min(bounds.items, keyCounts[kind] ?? 0)) hasAllKeys = false;
    return keys;
  }
  const { userTag, privateKeyTag, smartContractInterface, invitation } = records;
  const showTags = (all: typeof userTag, type: TagShape['tagType']) => shown(all, (id, tag) => showTag(id, tag, type));
  const allUsers = shown(users, (id) => showUser(organization, id, showBeyondSpec));
  const allPolicies = shown(policies, (id, policy) => showPolicy(id, policy, showBeyondSpec));
  const allKeys = each(await first('privateKey'), (key) => showPrivateKey(key, showBeyondSpec));
  const allWallets = each(await first('wallet'), showWallet);
  const references = shown(smartContractInterface, (smartContractInterfaceId, { smartContractAddress }) => ({
    smartContractInterfaceId,
    smartContractAddress,
  }));
  const written = {
    organizationId,
    name,
    users: await listed('users', 'list_users', users.size, allUsers),
    policies: await listed('policies', 'list_policies', policies.size, allPolicies),
    privateKeys: await listed('privateKeys', 'list_private_keys', keyCounts.privateKey ?? 0, allKeys),
    invitations: [...invitation].map(([id, open]) => showInvitation(id, open)),
    tags: await toList<TagShape>(endSlice, [
      ...(await write('tags', 'list_user_tags', userTag.size, showTags(userTag, 'TAG_TYPE_USER'))),
      ...(await write('tags', 'list_private_key_tags', privateKeyTag.size, showTags(privateKeyTag, 'TAG_TYPE_PRIVATE_KEY'))),
    ]),
    rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
    features: [...features],
    wallets: await listed('wallets', 'list_wallets', keyCounts.wallet ?? 0, allWallets),
    smartContractInterfaceReferences: await listed(
      'smartContractInterfaceReferences',
      'list_smart_contract_interfaces',
      smartContractInterface.size,
      references,
    ),
  };
  return { organizationData: writeObject({ ...written, ...(leftOut.length > 0 && { leftOut }) }), hasAllKeys };
}
