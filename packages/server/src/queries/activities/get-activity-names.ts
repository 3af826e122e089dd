import { lookAlikesOf, policyAddress } from '@countersign/chains';
import { type EffectShape, queries } from '@countersign/contract';
import { isOwnActivity, seesDecisions } from '@countersign/judgement';
import type { z } from 'zod';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { showContact, showToken } from '../../organizations/address-book.ts';
import type { ContactRecord } from '../../organizations/records.ts';
import { contactsByAddress, tokensByAsset } from '../../organizations/snapshot/indexes.ts';
import { showPrivateKey, showWalletAccount } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity } from '../own.ts';
import { pageOf } from '../page.ts';
import { namedEffects } from './named-effects.ts';
import { type Proven, proveActivities } from './prove-activities.ts';
import { searchWriters, type WrittenRecord } from './record-writers.ts';

const MAX_APPROVERS = 100;
/** Addresses and assets of one activity that are looked up. */
const MAX_LOOKED_UP = 200;
const MAX_SIMILAR = '20';

type Asked = z.output<typeof queries.getActivityNames.input>;
type Answer = z.output<typeof queries.getActivityNames.output>;

export const getActivityNames = resolveScoped(queries.getActivityNames, {
  async all(context, asked) {
    const { activities, organization } = context;
    const record = await activities.get(organization.id, asked.activityId);
    if (record === undefined) {
      await activities.refuseArchived(organization.id, { id: asked.activityId });
      throw notFound('activity', 'activityId');
    }
    return namesOf(context, record, asked);
  },
  own: async (context, asked) =>
    namesOf(context, await requireOwnActivity(context, queries.getActivityNames, asked.activityId), asked),
});

/** SECURITY: D973: each part is empty unless the caller may use the query that shows it. */
async function namesOf(context: QueryContext, record: ActivityRecord, { compareWith = [] }: Asked): Promise<Answer> {
  const { detailsReader } = context;
  const effects = await namedEffects(context, record);
  const addresses = new Set(effects.flatMap(({ to, from, owner }) => [to, from, owner].flatMap((each) => policyFormOf(each))));
  const looked = [...addresses].slice(0, MAX_LOOKED_UP);
  const book = detailsReader.mayUse([queries.listContacts]) ? await contactsOf(context, looked) : noContacts;
  const tokens = detailsReader.mayUse([queries.listTokens]) ? tokensOf(context, effects) : [];
  const key = await keyOf(context, record);
  const written = [...book.written, ...tokens.map(({ written }) => written), ...key.written];
  return {
    ...{ contacts: book.contacts, similarContacts: book.similarContacts },
    tokens: tokens.map(({ token }) => token),
    ...{ accounts: key.accounts, privateKeys: key.privateKeys },
    ...decidersOf(context, record),
    proofs: await proveActivities(context, await toProve(context, written, compareWith)),
  };
}

const policyFormOf = (address: string | undefined) => (address === undefined ? [] : [policyAddress(address)]);

const noContacts = { contacts: [], similarContacts: [], written: [] };

async function contactsOf(context: QueryContext, addresses: readonly string[]) {
  const { contact } = context.organization.records;
  const byAddress = contactsByAddress(contact);
  const named = addresses.flatMap((address) => [...(byAddress.get(address) ?? [])]);
  const isSimilar = lookAlikesOf(addresses);
  const show = (id: string, each: ContactRecord) => (isSimilar(each.address) ? showContact(id, each, contact) : undefined);
  return {
    contacts: named.map(([id, each]) => showContact(id, each, contact)),
    similarContacts: await pageOf(context, contact, { limit: MAX_SIMILAR }, show),
    written: named.map(([id, { updatedAtMs }]): WrittenRecord => ({ kind: 'contact', id, updatedAtMs })),
  };
}

function tokensOf({ organization }: QueryContext, effects: readonly EffectShape[]) {
  const byAsset = tokensByAsset(organization.records.token);
  const assets = new Set(effects.flatMap(({ asset }) => (asset === undefined ? [] : [asset.id])));
  return [...assets].slice(0, MAX_LOOKED_UP).flatMap((asset) =>
    [...(byAsset.get(asset) ?? [])].map(([id, token]) => ({
      token: showToken(id, token),
      written: { kind: 'token', id, updatedAtMs: token.updatedAtMs } satisfies WrittenRecord,
    })),
  );
}

interface NamedKey extends Pick<Answer, 'accounts' | 'privateKeys'> {
  readonly written: readonly WrittenRecord[];
}

/** The account or the private key that signs, with its wallet. */
async function keyOf(context: QueryContext, { intent }: ActivityRecord): Promise<NamedKey> {
  const { resources, organization, detailsReader, showBeyondSpec } = context;
  const { privateKeyId } = (intent ?? {}) as { readonly privateKeyId?: unknown };
  const none: NamedKey = { accounts: [], privateKeys: [], written: [] };
  if (typeof privateKeyId !== 'string') return none;
  const account = await resources.get(organization.id, 'walletAccount', privateKeyId);
  if (account !== undefined) {
    if (!detailsReader.mayUse([queries.listWalletAccounts])) return none;
    const { walletId, updatedAtMs } = account.body;
    const wallet = await resources.get(organization.id, 'wallet', walletId);
    return {
      ...none,
      accounts: [showWalletAccount(organization.id, account, wallet)],
      written: [
        { kind: 'walletAccount', id: account.id, updatedAtMs },
        ...(wallet === undefined ? [] : [{ kind: 'wallet', id: walletId, updatedAtMs: wallet.body.updatedAtMs } as const]),
      ],
    };
  }
  const key = detailsReader.mayUse([queries.getPrivateKey])
    ? await resources.get(organization.id, 'privateKey', privateKeyId)
    : undefined;
  if (key === undefined) return none;
  return {
    ...none,
    privateKeys: [showPrivateKey(key, showBeyondSpec ? organization : undefined)],
    written: [{ kind: 'privateKey', id: key.id, updatedAtMs: key.body.updatedAtMs }],
  };
}

/** The policies of the last decision, and the users whose approval would count. The parent's are not in this organization. */
function decidersOf(
  { organization, caller, detailsReader }: QueryContext,
  record: ActivityRecord,
): Pick<Answer, 'policies' | 'approvers' | 'approverCount'> {
  const last = record.decisions.at(-1);
  const isShown = record.judgedBy === undefined && seesDecisions(record, caller.organizationId);
  if (last === undefined || !isShown) return { policies: [], approvers: [] };
  const policies = detailsReader.mayUse([queries.explainActivity, queries.listPolicies])
    ? last.evaluations.flatMap(({ policyId, outcome }) => {
        const policy = isRequiring(outcome) ? organization.policies.get(policyId) : undefined;
        return policy === undefined ? [] : [{ policyId, policyName: policy.policyName, consensus: policy.consensus ?? '' }];
      })
    : [];
  const mayApprove = detailsReader.mayUse([queries.explainActivity, queries.listUsers]) ? (last.mayApprove ?? []) : [];
  const approvers = mayApprove.slice(0, MAX_APPROVERS).flatMap((userId) => {
    const user = organization.users.get(userId);
    return user === undefined ? [] : [{ userId, userName: user.userName }];
  });
  return { policies, approvers, ...(mayApprove.length > MAX_APPROVERS && { approverCount: mayApprove.length }) };
}

const isRequiring = (outcome: string) => outcome === 'OUTCOME_REQUIRES_CONSENSUS' || outcome === 'OUTCOME_ALLOW';

/** The activities that wrote the records, and those to compare with that the caller may read. Each one once. */
async function toProve(
  context: QueryContext,
  written: readonly WrittenRecord[],
  compareWith: readonly string[],
): Promise<readonly Proven[]> {
  const { activities, organization, caller, detailsReader } = context;
  const found = new Map<string, Proven>();
  const readsAll = detailsReader.mayUse([queries.listActivities, queries.getLogProof]);
  for (const id of compareWith) {
    const record = await activities.get(organization.id, id);
    if (record === undefined) continue;
    // SECURITY: D973: an id is not a right to read.
    if (readsAll || isOwnActivity(record, caller.userId)) found.set(id, { record, withContent: false });
  }
  if (!detailsReader.mayUse([queries.listActivities, queries.listAuditRecords])) return [...found.values()];
  const writerOf = searchWriters(context);
  for (const each of written) {
    const record = await writerOf(each);
    if (record !== undefined) found.set(record.id, { record, withContent: true });
  }
  return [...found.values()];
}
