import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../aead.ts';
import { encodeFields, keyedHash } from '../integrity/keyed-hash.ts';
import { Secret } from '../keys/secret.ts';

/** The row that a text is stored in: its organization, and table and key as they identify it there. */
export interface StoredPlace {
  readonly organizationId: string;
  readonly key: readonly string[];
}

/** Encrypts texts of rows before the store writes them. INVARIANT: MACs cover the plain text, so they do not depend on this. */
export interface AtRest {
  seal(place: StoredPlace, text: string): string;
  /**
   * The plain text of a stored one. A text that was not sealed, or was sealed for another place, is returned as it is: its row's MAC then
   * decides whether it is authentic.
   */
  open(place: StoredPlace, stored: string): string;
  /** What an index stores for a value: equal for equal values of one organization and kind, and unreadable. */
  indexValue(organizationId: string, kind: string, value: string): string;
  /** What the search index stores for a term: the first 66 bits of a keyed hash. Searches verify what they find. */
  indexTerm(organizationId: string, term: string): string;
}

/** The first characters of a sealed text. Plain bodies are JSON objects. */
const SEALED = 'sealed1.';
const INDEXED = 'hmac1.';
/** Characters of a term in base64url. Short, because signatures leave several. */
const TERM_CHARACTERS = 11;

/** Whether a stored text is sealed, as far as its form shows. */
export function isSealed(stored: string): boolean {
  return stored.startsWith(SEALED);
}

/** Whether a stored index value is hashed, as far as its form shows. */
export function isIndexValue(stored: string): boolean {
  return stored.startsWith(INDEXED);
}

/**
 * Derives the keys for data at rest from the integrity key (HKDF-SHA-256, RFC 5869). Rotating the root key rewraps the integrity key, so
 * sealed rows stay readable. Each organization has its own key, so that random nonces of one key stay far below 2^32 messages.
 */
export function openAtRest(integrityKey: Secret): { readonly atRest: AtRest; wipe(): void } {
  const subKey = (use: string) =>
    keyedHash(
      new Secret(new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), `countersign/at-rest/v1/${use}`, 32))),
    );
  const [organizationKeys, indexes, terms] = [subKey('organization'), subKey('index'), subKey('term')];
  const associatedData = ({ organizationId, key }: StoredPlace) => encodeFields('countersign/row/v1', organizationId, ...key);

  function withKey<R>(organizationId: string, action: (key: Uint8Array) => R): R {
    const key = organizationKeys.digest(encodeFields(organizationId));
    try {
      return action(key);
    } finally {
      key.fill(0);
    }
  }

  return {
    atRest: Object.freeze<AtRest>({
      seal(place, text) {
        const sealed = withKey(place.organizationId, (key) => encrypt(key, Buffer.from(text, 'utf8'), associatedData(place)));
        return `${SEALED}${Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).toString('base64')}`;
      },
      open(place, stored) {
        if (!isSealed(stored)) return stored;
        const bytes = Buffer.from(stored.slice(SEALED.length), 'base64');
        // SECURITY: the decoder skips characters that are not base64. A row with such an edit must not verify.
        if (bytes.toString('base64').length !== stored.length - SEALED.length) return stored;
        const opened = withKey(place.organizationId, (key) => decrypt(key, bytes, associatedData(place)));
        return opened === undefined ? stored : Buffer.from(opened.buffer, opened.byteOffset, opened.length).toString('utf8');
      },
      indexValue: (organizationId, kind, value) =>
        `${INDEXED}${indexes.digest(encodeFields(organizationId, kind, value)).toString('base64url')}`,
      indexTerm: (organizationId, term) =>
        terms.digest(encodeFields(organizationId, term)).toString('base64url').slice(0, TERM_CHARACTERS),
    }),
    wipe() {
      for (const key of [organizationKeys, indexes, terms]) key.wipe();
    },
  };
}
