import type { VoteRecord } from '@countersign/judgement';
import type { QueryContext } from '../../pipeline/query.ts';
import type { WrittenRecord } from './record-writers.ts';

/** Credentials whose users a response proves. */
const MOST_PEOPLE = 20;

/** Who stamped a request or a vote, and with which kind of credential. */
export interface VoteStamp extends Pick<VoteRecord, 'userId' | 'credentialId'> {
  readonly kind: 'apiKey' | 'authenticator';
}

export const stampOf = ({ userId, credentialId, scheme }: VoteRecord): VoteStamp => ({
  ...{ userId, credentialId },
  kind: scheme === 'SIGNATURE_SCHEME_TK_WEBAUTHN' ? 'authenticator' : 'apiKey',
});

/** The people whose names a response proves, each credential once. */
export class NamedPeople {
  readonly #stamps = new Map<string, VoteStamp>();

  /** SECURITY: D1112: an activity can have thousands of votes, so that the number of people is limited. */
  add(stamps: readonly VoteStamp[]): void {
    for (const stamp of stamps) if (this.#stamps.size < MOST_PEOPLE) this.#stamps.set(stamp.credentialId, stamp);
  }

  /** The records that prove the users and their credentials. A user of the parent is not in the organization. */
  written({ users }: Pick<QueryContext['organization'], 'users'>): readonly WrittenRecord[] {
    const written = new Map<string, WrittenRecord>();
    for (const { userId, credentialId, kind } of this.#stamps.values()) {
      const user = users.get(userId);
      if (user === undefined) continue;
      written.set(userId, { kind: 'user', id: userId, updatedAtMs: user.updatedAtMs });
      written.set(credentialId, { kind, id: credentialId, updatedAtMs: createdAtMs(credentialId) });
    }
    return [...written.values()];
  }
}

/** The time in an id (UUIDv7). Use changes the record of a credential, and its owner and its key stay. */
const createdAtMs = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16) || 0;
