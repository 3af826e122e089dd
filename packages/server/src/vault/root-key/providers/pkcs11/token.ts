import { createHash, randomBytes } from 'node:crypto';
import { readSecretFile } from '../../../../config/secret-file.ts';
import { RootKeyUnavailable } from '../../../errors.ts';
import { codeOf, type Handle, type Library, type Mechanism, type Pkcs11Package, type TokenInfo, templateOf } from './library.ts';
import type { TokenKey } from './messages.ts';
import type { Pkcs11Key } from './uri.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_KEYS = 1_000;
/** Shorter ids, such as 01, are not unique. */
const MIN_ID_BYTES = 8;

/** PKCS #11 v3.0, 5.1 and 3.3. */
const CKR_USER_ALREADY_LOGGED_IN = 0x100;
/** CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_PIN_LOCKED. */
const refusedPin = new Set([0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);
/** CKR_ENCRYPTED_DATA_INVALID, CKR_ENCRYPTED_DATA_LEN_RANGE, CKR_AEAD_DECRYPT_FAILED. Some tokens report CKR_GENERAL_ERROR instead. */
const notAuthentic = new Set([0x40, 0x41, 0x42]);
const FINAL_TRY_OR_LOCKED = 0x20000 | 0x40000;

/** One session with a token. It is opened when it is needed, and again after a loss. */
export class Token {
  readonly #ck: Pkcs11Package;
  readonly #library: Library;
  readonly #key: Pkcs11Key;
  readonly #reset: () => void;
  #session: Handle | undefined;
  #handles = new Map<string, Handle>();
  /** SECURITY: a token locks itself after a few wrong PINs, so a PIN that was refused is not sent again. */
  #refusedPin: string | undefined;

  /** `reset` starts the library again: some notice a token that returns only then. It calls `forget` of every token. */
  constructor(ck: Pkcs11Package, library: Library, key: Pkcs11Key, reset: () => void) {
    this.#ck = ck;
    this.#library = library;
    this.#key = key;
    this.#reset = reset;
  }

  /** The keys with the label. */
  keys(): readonly TokenKey[] {
    const found = this.#recover(() => this.#find());
    if (found.length > 0) return found;
    this.#reset();
    return this.#recover(() => this.#find());
  }

  /** Makes a key that cannot leave the token. Returns its id. */
  generate(): string {
    const ck = this.#ck;
    const keyId = randomBytes(16);
    const template = templateOf(ck, {
      CKA_CLASS: ck.CKO_SECRET_KEY,
      CKA_KEY_TYPE: ck.CKK_AES,
      CKA_VALUE_LEN: 32,
      CKA_TOKEN: true,
      CKA_PRIVATE: true,
      CKA_SENSITIVE: true,
      CKA_EXTRACTABLE: false,
      CKA_ENCRYPT: true,
      CKA_DECRYPT: true,
      CKA_LABEL: this.#key.label,
      CKA_ID: keyId,
    });
    this.#recover(() => this.#library.C_GenerateKey(this.#open(), { mechanism: ck.CKM_AES_KEY_GEN }, template));
    return keyId.toString('hex');
  }

  /** AES-256-GCM with a random nonce: version byte, nonce, ciphertext, tag. */
  encrypt(keyId: string, plain: Uint8Array, associatedData: string): Uint8Array {
    return this.#recover(() => this.#encrypt(keyId, plain, associatedData));
  }

  /** Undefined unless this key encrypted the bytes with this associated data. */
  decrypt(keyId: string, wrapped: Uint8Array, associatedData: string): Uint8Array | undefined {
    if (wrapped[0] !== VERSION || wrapped.length < 1 + NONCE_BYTES + TAG_BYTES) return undefined;
    return this.#recover(() => {
      try {
        return this.#decrypt(keyId, wrapped, associatedData);
      } catch (error) {
        const code = codeOf(error);
        if (code === undefined) throw error;
        // The token works, so the bytes are the cause.
        if (notAuthentic.has(code) || this.#works(keyId)) return undefined;
        throw error;
      }
    });
  }

  close(): void {
    const session = this.#session;
    this.forget();
    try {
      if (session !== undefined) this.#library.C_CloseSession(session);
    } catch {
      // The session was lost before.
    }
  }

  /** The session and its handles are no longer valid. */
  forget(): void {
    this.#session = undefined;
    this.#handles.clear();
  }

  /** Runs the action. After an error of the library: again with a new session, then once more with the library started again. */
  #recover<T>(action: () => T): T {
    for (const prepare of [() => this.close(), () => this.#reset()]) {
      try {
        return action();
      } catch (error) {
        if (codeOf(error) === undefined && !(error instanceof LostKey)) throw error;
        prepare();
      }
    }
    try {
      return action();
    } catch (error) {
      if (codeOf(error) === undefined && !(error instanceof LostKey)) throw error;
      throw new RootKeyUnavailable(
        `${describe(this.#key)} failed: ${(error as Error).message}`,
        'check the token and its connection',
      );
    }
  }

  #encrypt(keyId: string, plain: Uint8Array, associatedData: string): Uint8Array {
    const session = this.#open();
    const nonce = randomBytes(NONCE_BYTES);
    this.#library.C_EncryptInit(session, this.#gcm(nonce, associatedData), this.#handle(keyId));
    const output = Buffer.alloc(plain.length + TAG_BYTES);
    return Buffer.concat([Buffer.of(VERSION), nonce, this.#library.C_Encrypt(session, Buffer.from(plain), output)]);
  }

  #decrypt(keyId: string, wrapped: Uint8Array, associatedData: string): Uint8Array {
    const session = this.#open();
    const nonce = Buffer.from(wrapped.subarray(1, 1 + NONCE_BYTES));
    this.#library.C_DecryptInit(session, this.#gcm(nonce, associatedData), this.#handle(keyId));
    return this.#library.C_Decrypt(session, Buffer.from(wrapped.subarray(1 + NONCE_BYTES)), Buffer.alloc(wrapped.length));
  }

  #works(keyId: string): boolean {
    try {
      const sample = randomBytes(32);
      return sample.equals(this.#decrypt(keyId, this.#encrypt(keyId, sample, ''), ''));
    } catch {
      // The caller reports the first error.
      return false;
    }
  }

  #gcm(iv: Buffer, associatedData: string): Mechanism {
    const { CKM_AES_GCM: mechanism, CK_PARAMS_AES_GCM: type } = this.#ck;
    const aad = Buffer.from(associatedData, 'utf8');
    return { mechanism, parameter: { type, iv, ivBits: 8 * NONCE_BYTES, aad, tagBits: 8 * TAG_BYTES } };
  }

  #handle(keyId: string): Handle {
    const known = this.#handles.get(keyId);
    if (known !== undefined) return known;
    this.#find();
    const found = this.#handles.get(keyId);
    if (found === undefined) throw new LostKey(`it has no key ${keyId} with the label ${this.#key.label}`);
    return found;
  }

  #find(): readonly TokenKey[] {
    const session = this.#open();
    const [library, ck] = [this.#library, this.#ck];
    library.C_FindObjectsInit(session, templateOf(ck, { CKA_CLASS: ck.CKO_SECRET_KEY, CKA_LABEL: this.#key.label }));
    const objects = library.C_FindObjects(session, MAX_KEYS);
    library.C_FindObjectsFinal(session);
    return objects.map((object) => this.#examine(session, object));
  }

  #examine(session: Handle, object: Handle): TokenKey {
    const ck = this.#ck;
    const names = ['CKA_ID', 'CKA_KEY_TYPE', 'CKA_EXTRACTABLE', 'CKA_SENSITIVE', 'CKA_ENCRYPT', 'CKA_DECRYPT'] as const;
    const values = this.#library.C_GetAttributeValue(
      session,
      object,
      names.map((name) => ({ type: ck[name] })),
    );
    const [id, type, extractable, sensitive, encrypts, decrypts] = values.map(({ value }) => value) as [Buffer, ...Buffer[]];
    const keyId = id.toString('hex');
    this.#handles.set(keyId, object);
    const objections = [
      type?.[0] !== ck.CKK_AES && 'is not an AES key',
      extractable?.[0] !== 0 && 'can be extracted from the token',
      sensitive?.[0] !== 1 && 'can be read in plain',
      !(encrypts?.[0] === 1 && decrypts?.[0] === 1) && 'may not encrypt and decrypt',
      id.length < MIN_ID_BYTES && `has an id (CKA_ID) of fewer than ${MIN_ID_BYTES} bytes`,
    ].filter((objection) => objection !== false);
    return { keyId, ...(objections[0] !== undefined && { objection: objections[0] }) };
  }

  #open(): Handle {
    if (this.#session !== undefined) return this.#session;
    const { CKF_RW_SESSION, CKF_SERIAL_SESSION, CKU_USER } = this.#ck;
    const slot = this.#slot();
    const pin = readSecretFile('--pkcs11-pin-file', this.#key.pinFile);
    const digest = createHash('sha256').update(pin).digest('hex');
    if (digest === this.#refusedPin) throw wrongPin(this.#key);
    const session = this.#library.C_OpenSession(slot, CKF_RW_SESSION | CKF_SERIAL_SESSION);
    try {
      this.#library.C_Login(session, CKU_USER, pin);
    } catch (error) {
      const code = codeOf(error);
      // The login counts for all sessions of this process with the token.
      if (code !== CKR_USER_ALREADY_LOGGED_IN) {
        this.#library.C_CloseSession(session);
        if (code === undefined || !refusedPin.has(code)) throw error;
        this.#refusedPin = digest;
        throw wrongPin(this.#key);
      }
    }
    this.#session = session;
    return session;
  }

  #slot(): Handle {
    const slots = this.#library
      .C_GetSlotList(true)
      .filter((slot) => matches(this.#key, slot, this.#library.C_GetTokenInfo(slot)));
    const [slot] = slots;
    if (slot === undefined) throw new LostKey('no slot has this token');
    if (slots.length > 1)
      throw new RootKeyUnavailable(`${slots.length} tokens match ${describe(this.#key)}`, 'add serial= to the PKCS #11 URI');
    // SECURITY: another wrong PIN would lock the token for everyone.
    if ((this.#library.C_GetTokenInfo(slot).flags & FINAL_TRY_OR_LOCKED) !== 0)
      throw new RootKeyUnavailable(
        `${describe(this.#key)} is locked, or locks itself after one more wrong PIN`,
        'log in to the token once with its own tool, then correct the file with the PIN',
      );
    return slot;
  }
}

/** The token or the key is not there now. It may return. */
class LostKey extends Error {}

function matches({ selector }: Pkcs11Key, slot: Handle, info: TokenInfo): boolean {
  const { token, serial, manufacturer, model, 'slot-id': slotId } = selector;
  const pairs = [
    [token, info.label],
    [serial, info.serialNumber],
    [manufacturer, info.manufacturerID],
    [model, info.model],
    // A handle has the bytes of the number, the least significant first.
    [slotId, Buffer.from(slot).readUIntLE(0, 6).toString()],
  ] as const;
  return pairs.every(([wanted, found]) => wanted === undefined || wanted === found.replace(/[ \0]+$/, ''));
}

export function describe({ selector, label }: Pkcs11Key): string {
  const named = Object.entries(selector).map(([name, value]) => `${name}=${value}`);
  return `PKCS #11 token ${[...named, `object=${label}`].join(';')}`;
}

function wrongPin(key: Pkcs11Key): RootKeyUnavailable {
  return new RootKeyUnavailable(
    `${describe(key)} refused the PIN in ${key.pinFile}, which is not tried again`,
    'correct the PIN in the file; the service reads it again',
  );
}
