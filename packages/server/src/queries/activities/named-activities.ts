import { policyAddress } from '@countersign/chains';
import { activities as definitions } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { type ResourceKind, resourceKinds } from '../../organizations/records.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { stampOf, type VoteStamp } from './named-people.ts';

/** Addresses that are looked up for one query, and as many assets, wallets, accounts and private keys. */
const MAX_LOOKED_UP = 200;
/**
 * Characters of the stamped messages of activities after which no further one is read. An activity has up to some megabytes.
 * SECURITY: D1053: a query with a hundred ids must not cost more than the longest page of a list.
 */
export const MAX_READ_CHARACTERS = 4_000_000;

type Reading = Pick<QueryContext, 'activities' | 'organization' | 'sending' | 'endSlice'>;

/** Whether the caller may read an activity of the organization with this query. */
export type MayRead = (record: ActivityRecord) => boolean;

/** The ids of wallets, accounts and private keys. */
export type KeyIds = Readonly<Record<ResourceKind, readonly string[]>>;

/** The addresses, assets and keys in the sentences of some activities. */
export interface Named {
  readonly addresses: readonly string[];
  readonly assets: readonly string[];
  /** Addresses or ids of the keys that sign. */
  readonly signers: readonly string[];
  /** What the parameters name by its id, such as a wallet to delete. */
  readonly keyIds: KeyIds;
  /** Who requested the activities, and who voted on the first one. */
  readonly stamps: readonly VoteStamp[];
  /** The activities whose addresses, assets and ids are all included. */
  readonly activityIds: readonly string[];
}

/**
 * What an activity and further ones name. Only the first one is included in part if it names too much.
 * SECURITY: D1052: an id is not a right to read, and an unreadable activity is the same as none. An activity that would exceed the limits is
 * left out as a whole and not in `activityIds`: clients ask for it alone. Otherwise a transaction with many receivers would hide the warnings
 * about others.
 */
export async function namedBy(
  context: Reading,
  first: ActivityRecord,
  furtherIds: readonly string[],
  mayRead: MayRead,
): Promise<Named> {
  const { activities, organization, endSlice } = context;
  const found = new LookUps();
  let characters = await add(first);
  for (const id of new Set(furtherIds)) {
    if (id === first.id) continue;
    if (characters > MAX_READ_CHARACTERS) break;
    await endSlice();
    const record = await activities.get(organization.id, id);
    if (record !== undefined && mayRead(record)) characters += await add(record);
  }
  return found.named();

  /** Returns the length of what it read. */
  async function add(record: ActivityRecord): Promise<number> {
    const replaced = await replacedBy(context, record, mayRead);
    const read = replaced === undefined ? [record] : [record, replaced];
    found.add(record, read);
    return read.reduce((sum, each) => sum + messageLength(each), 0);
  }
}

/** Characters of the stamped messages of an activity: most of what reading it costs. */
export function messageLength({ votes }: ActivityRecord): number {
  return votes.reduce((sum, { message }) => sum + message.length, 0);
}

/** Collects distinct addresses, assets and ids up to the limit. */
class LookUps {
  readonly #addresses = new Set<string>();
  readonly #assets = new Set<string>();
  readonly #signers = new Set<string>();
  readonly #keyIds = { wallet: new Set<string>(), walletAccount: new Set<string>(), privateKey: new Set<string>() };
  readonly #activityIds: string[] = [];
  readonly #stamps: VoteStamp[] = [];
  #isEmpty = true;

  /** `shown` are the activities whose effects the sentence has. */
  add({ id, type, intent, votes }: ActivityRecord, shown: readonly ActivityRecord[]): void {
    const effects = shown.flatMap(({ parsed }) => parsed?.effects ?? []);
    const addresses = effects.flatMap(({ to, from, owner }) => [to, from, owner].flatMap(policyFormOf));
    const isWithin = [
      take(this.#addresses, addresses, this.#isEmpty),
      take(
        this.#assets,
        effects.flatMap(({ asset }) => asset?.id ?? []),
        this.#isEmpty,
      ),
      ...resourceKinds.map((kind) => take(this.#keyIds[kind], idsIn(intent, keyParameters[kind]), this.#isEmpty)),
    ];
    this.#stamps.push(...votes.slice(0, this.#isEmpty ? undefined : 1).map(stampOf));
    this.#isEmpty = false;
    const signer = signerOf(type, intent);
    if (signer !== undefined) this.#signers.add(signer);
    if (isWithin.every((each) => each)) this.#activityIds.push(id);
  }

  named(): Named {
    return {
      addresses: [...this.#addresses],
      assets: [...this.#assets],
      signers: [...this.#signers],
      keyIds: {
        wallet: [...this.#keyIds.wallet],
        walletAccount: [...this.#keyIds.walletAccount],
        privateKey: [...this.#keyIds.privateKey],
      },
      stamps: this.#stamps,
      activityIds: this.#activityIds,
    };
  }
}

/** Adds all values if there is room for them, or with `inPart` as many as fit. Returns whether all of them were added. */
function take(taken: Set<string>, values: readonly string[], inPart: boolean): boolean {
  const added = [...new Set(values)].filter((value) => !taken.has(value));
  const left = MAX_LOOKED_UP - taken.size;
  const fits = added.length <= left;
  if (fits || inPart) for (const value of added.slice(0, left)) taken.add(value);
  return fits;
}

const policyFormOf = (address: string | undefined) => (address === undefined ? [] : [policyAddress(address)]);

/** The address or id of the key that an activity signs with or exports. */
function signerOf(type: string, intent: unknown): string | undefined {
  const { privateKeyId, from, signWith, address } = (intent ?? {}) as Readonly<Record<string, unknown>>;
  const exported = type === definitions.exportWalletAccount.type ? [address] : [];
  return [privateKeyId, from, signWith, ...exported].find((each) => typeof each === 'string');
}

/** The parameters that name keys by their ids, by kind. */
const keyParameters = {
  wallet: ['walletId', 'walletIds'],
  walletAccount: ['walletAccountIds'],
  privateKey: ['privateKeyIds'],
} as const satisfies Readonly<Record<ResourceKind, readonly string[]>>;

function idsIn(intent: unknown, names: readonly string[]): readonly string[] {
  const parameters = (intent ?? {}) as Readonly<Record<string, unknown>>;
  return names.flatMap((name) => parameters[name]).filter((id) => typeof id === 'string');
}

/** The activity that sent the transaction that a request replaces. Its effects are in the sentence of the request. */
async function replacedBy(
  { activities, organization, sending }: Reading,
  { type, intent }: ActivityRecord,
  mayRead: MayRead,
): Promise<ActivityRecord | undefined> {
  if (type !== definitions.ethReplaceTransaction.type) return undefined;
  const { sendTransactionStatusId: id } = (intent ?? {}) as { readonly sendTransactionStatusId?: unknown };
  if (typeof id !== 'string') return undefined;
  const sent = await sending.get(organization.id, id);
  const found = sent && (await activities.get(organization.id, sent.activityId));
  // SECURITY: D1051: the names of a transaction show whom it pays. The id of one is not a right to read it.
  return found !== undefined && mayRead(found) ? found : undefined;
}
