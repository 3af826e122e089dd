import type { Flow } from './flow.ts';
import { Holders } from './holders.ts';

/** The sender that a stamp names, before the stamp is verified. */
export interface UnverifiedCaller {
  /** From `senderOf`. */
  readonly address: string;
  /** A public key, the id of a passkey, or the digest of a session's token. Empty without a stamp. */
  readonly credential: string;
}

/** The user whose stamp verified. */
export interface VerifiedUser {
  /** The parent of the organization, or the organization itself. */
  readonly tenantId: string;
  readonly organizationId: string;
  readonly userId: string;
}

/** A credential that verified at an address, as it is stored. */
export interface KnownCaller extends VerifiedUser {
  /** Keyed hash of the credential and the block of addresses. */
  readonly key: string;
  /** How long ago it verified. */
  readonly ageMs: number;
}

interface Entry {
  readonly atMs: number;
  readonly user: VerifiedUser;
  /** The flow of its requests, unless they stay unproven. */
  readonly flow: Flow | undefined;
}

/** How long a credential stays known at an address after it verified: over a night. */
const KNOWN_MS = 86_400_000;
/** Shortest time between two renewals of that. */
const RENEW_MS = 1_000;
/** All of them are stored, which takes a few milliseconds. */
const MAX_KNOWN = 10_000;

/** Identifies a pair of credential and address. A keyed hash, if pairs are stored. */
export type PairKey = (pair: string) => string;

/**
 * The credentials that verified within a day, each with the block of addresses that it was used from. An attacker without the credential
 * cannot add one. The number is bounded: the tenant with the most loses the oldest pair of its organization and user with the most.
 * SECURITY: D341, D431: otherwise a user with many addresses, or a tenant with many users, would make the service forget the others.
 */
export class KnownCallers {
  readonly #keyOf: PairKey;
  readonly #nowMs: () => number;
  readonly #max: number;
  /** In order of their last renewal. */
  readonly #entries = new Map<string, Entry>();
  readonly #holders = new Holders<string>();
  #last = { address: '', credential: '', key: '' };
  #revision = 0;

  constructor(keyOf: PairKey = (pair) => pair, nowMs: () => number = () => performance.now(), max = MAX_KNOWN) {
    this.#keyOf = keyOf;
    this.#nowMs = nowMs;
    this.#max = max;
  }

  /** Increases with every new pair. */
  get revision(): number {
    return this.#revision;
  }

  find(caller: UnverifiedCaller): Pick<Entry, 'flow'> | undefined {
    if (caller.credential === '') return undefined;
    const found = this.#entries.get(this.#key(caller));
    return found !== undefined && found.atMs > this.#nowMs() - KNOWN_MS ? found : undefined;
  }

  /** The stamp of a caller verified. Without `provesTurn` its requests stay unproven. */
  add(caller: UnverifiedCaller, user: VerifiedUser, provesTurn = true): void {
    const key = this.#key(caller);
    const [known, atMs] = [this.#entries.get(key), this.#nowMs()];
    const isSame = known?.user.userId === user.userId && (known.flow !== undefined) === provesTurn;
    if (isSame && atMs - known.atMs < RENEW_MS) return;
    this.#set(key, user, atMs, provesTurn);
    if (!isSame && provesTurn) this.#revision += 1;
  }

  /** Adds a stored one, unless it is known already, is too old, or others would be forgotten. */
  restore({ key, ageMs, ...user }: KnownCaller): void {
    if (ageMs >= KNOWN_MS || this.#entries.has(key) || this.#entries.size >= this.#max) return;
    this.#set(key, user, this.#nowMs() - ageMs, true);
  }

  /** Those whose requests are proven, oldest first. */
  *list(): Generator<KnownCaller> {
    const now = this.#nowMs();
    for (const [key, { flow, atMs, user }] of this.#entries)
      if (flow !== undefined && now - atMs < KNOWN_MS) yield { key, ...user, ageMs: now - atMs };
  }

  /** Memoizes the last one: a request needs it several times. */
  #key({ address, credential }: UnverifiedCaller): string {
    if (this.#last.address !== address || this.#last.credential !== credential)
      this.#last = { address, credential, key: this.#keyOf(`${address} ${credential}`) };
    return this.#last.key;
  }

  #set(key: string, { tenantId, organizationId, userId }: VerifiedUser, atMs: number, provesTurn: boolean): void {
    this.#entries.delete(key);
    // The last name is the pair: one credential at two addresses has two turns within the turn of its user.
    const flow = provesTurn ? { isProven: true, path: [organizationId, userId, key] } : undefined;
    this.#entries.set(key, { atMs, user: { tenantId, organizationId, userId }, flow });
    this.#holders.add([tenantId, organizationId, userId], key);
    if (this.#entries.size <= this.#max) return;
    const forgotten = this.#holders.largest() as string;
    this.#holders.delete(forgotten);
    this.#entries.delete(forgotten);
  }
}
