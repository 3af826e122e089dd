import { canonicalAddress } from '@countersign/chains';
import { PersistentMap } from '@countersign/collections';
import { idByPublicKey } from '../credentials.ts';
import type { JudgedKey, JudgedOrganization, JudgedSecret, JudgedWallet } from '../organization.ts';
import { type AuditedBodies, type AuditedKind, auditedKinds } from '../record-kinds.ts';
import type { OrganizationRecord } from '../records.ts';
import { isSameKey } from '../same-key.ts';
import type { SubjectSource } from '../stored-subject.ts';

/** A record or resource that an activity wrote or removed, as the activity stores it. */
export type PastChange =
  | { readonly put: string; readonly id: string; readonly body: object }
  | { readonly drop: string; readonly id: string };

type Tables = { [K in AuditedKind]: PersistentMap<AuditedBodies[K]> };

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An organization at one point in its history, rebuilt from the changes of its activities. */
export class PastOrganization implements SubjectSource {
  readonly id: string;
  readonly #error: (what: string) => Error;
  readonly #tables = Object.fromEntries(auditedKinds.map((kind) => [kind, PersistentMap.empty()])) as Tables;
  /** Ids of accounts and private keys by canonical address. */
  readonly #byAddress = new Map<string, Set<string>>();
  #judged: JudgedOrganization | undefined;

  /** `error` creates the error to throw if the history contradicts itself. */
  constructor(id: string, error: (what: string) => Error) {
    this.id = id;
    this.#error = error;
  }

  get<K extends AuditedKind>(kind: K, id: string): AuditedBodies[K] | undefined {
    return this.#tables[kind].get(id);
  }

  all<K extends AuditedKind>(kind: K): ReadonlyMap<string, AuditedBodies[K]> {
    return this.#tables[kind];
  }

  /** The organization's own record. */
  get profile(): OrganizationRecord {
    const profile = this.get('organization', this.id);
    if (profile === undefined) throw this.#error('the creation of the organization is not in the file');
    return profile;
  }

  /** The same object until something changes, because decisions cache values by its reference. */
  organization(): JudgedOrganization {
    const { user, apiKey, authenticator, policy, ...records } = this.#tables;
    this.#judged ??= {
      id: this.id,
      profile: this.profile,
      users: user,
      apiKeys: apiKey,
      authenticators: authenticator,
      policies: policy,
      records,
      apiKeyByPublicKey: idByPublicKey(apiKey),
    };
    return this.#judged;
  }

  /** Applies changes that a rule explained. */
  apply(changes: readonly PastChange[]): void {
    const tables = this.#tables as Record<AuditedKind, PersistentMap<unknown>>;
    for (const change of changes) {
      const kind = this.#kindOf(change);
      const table = tables[kind];
      this.#index(change.id, kind, false);
      if (!('put' in change) && !table.has(change.id)) throw this.#error(`${kind} ${change.id} ends and was never there`);
      tables[kind] = 'put' in change ? table.with(change.id, change.body) : table.without(change.id);
      this.#index(change.id, kind, true);
    }
    if (changes.length > 0) this.#judged = undefined;
  }

  wallet(id: string): JudgedWallet | undefined {
    const body = this.get('wallet', id);
    return body && { kind: 'wallet', id, body };
  }

  secret(id: string): JudgedSecret | undefined {
    const body = this.get('secret', id);
    return body && { id, body };
  }

  key(id: string): JudgedKey | undefined {
    const privateKey = this.get('privateKey', id);
    if (privateKey !== undefined) return { kind: 'privateKey', id, body: privateKey };
    const account = this.get('walletAccount', id);
    return account && { kind: 'walletAccount', id, body: account };
  }

  /** The one key that `signWith` names: by id, or by address. Undefined if there is no such key, or if several different keys match. */
  signingKey(signWith: string): JudgedKey | undefined {
    if (uuid.test(signWith)) return this.key(signWith);
    const ids = [...(this.#byAddress.get(canonicalAddress(signWith)) ?? [])].sort();
    const [first, ...others] = ids.map((id) => this.key(id)).filter((key) => key !== undefined);
    return first !== undefined && others.every((other) => isSameKey(first, other)) ? first : undefined;
  }

  #kindOf(change: PastChange): AuditedKind {
    const kind = auditedKindOf(change);
    if (kind === undefined) throw this.#error(`not modelled: a change of ${'put' in change ? change.put : change.drop}`);
    return kind;
  }

  #index(id: string, kind: AuditedKind, isThere: boolean): void {
    for (const address of this.#addressesOf(id, kind)) {
      const ids = this.#byAddress.get(address) ?? new Set();
      this.#byAddress.set(address, ids);
      if (isThere) ids.add(id);
      else ids.delete(id);
    }
  }

  #addressesOf(id: string, kind: AuditedKind): readonly string[] {
    if (kind === 'walletAccount') return [this.get(kind, id)?.address ?? ''].filter((text) => text !== '').map(canonicalAddress);
    if (kind !== 'privateKey') return [];
    return (this.get(kind, id)?.addresses ?? []).map(({ address }) => canonicalAddress(address));
  }
}

/** The kind of a change. Undefined if this release does not know it. */
export function auditedKindOf(change: PastChange): AuditedKind | undefined {
  const name = 'put' in change ? change.put : change.drop;
  return auditedKinds.find((kind) => kind === name);
}
