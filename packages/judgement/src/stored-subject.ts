import type { JudgedKey, JudgedSecret, JudgedWallet } from './organization.ts';
import type { PolicySubject, Touch } from './subject.ts';

/** The part of a subject that only the executor of the activity knew, as the decision stores it. */
export interface StoredSubject {
  readonly touches?: readonly Touch[];
  /** Parameters as the executor resolved them, without secrets. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly oneTimeSubjectId?: string;
  readonly keyId?: string;
  readonly walletId?: string;
  readonly walletIds?: readonly string[];
  readonly secretIds?: readonly string[];
}

/** Serializes a subject. Returns undefined if there is nothing to store. `redact` removes the secrets of parameters. */
export function serializeSubject(
  { touches = [], parameters, oneTimeSubjectId, key, wallet, wallets, secrets }: PolicySubject,
  redact: (parameters: unknown) => unknown,
): StoredSubject | undefined {
  const stored: StoredSubject = {
    ...(touches.length > 0 && { touches }),
    ...(parameters && { parameters: redact(parameters()) as NonNullable<StoredSubject['parameters']> }),
    ...(oneTimeSubjectId !== undefined && { oneTimeSubjectId }),
    ...(key && { keyId: key.id }),
    ...(wallet && { walletId: wallet.id }),
    ...(wallets && { walletIds: wallets.map(({ id }) => id) }),
    ...(secrets && { secretIds: secrets.map(({ id }) => id) }),
  };
  return Object.keys(stored).length === 0 ? undefined : stored;
}

/** Finds the keys, wallets and secrets of a stored subject. */
export interface SubjectSource {
  key(id: string): JudgedKey | undefined;
  wallet(id: string): JudgedWallet | undefined;
  secret(id: string): JudgedSecret | undefined;
}

/** Restores a stored subject. Throws the error of `missing` if the source does not have one of them. */
export function subjectFrom(stored: StoredSubject, source: SubjectSource, missing: (what: string) => Error): PolicySubject {
  const found = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw missing(what);
    return value;
  };
  const walletOf = (id: string) => found(source.wallet(id), `wallet ${id}`);
  const { touches, parameters, oneTimeSubjectId, keyId, walletId, walletIds, secretIds } = stored;
  return {
    ...(touches && { touches }),
    ...(parameters && { parameters: () => parameters }),
    ...(oneTimeSubjectId !== undefined && { oneTimeSubjectId }),
    ...(keyId !== undefined && { key: found(source.key(keyId), `key ${keyId}`) }),
    ...(walletId !== undefined && { wallet: walletOf(walletId) }),
    ...(walletIds && { wallets: walletIds.map(walletOf) }),
    ...(secretIds && { secrets: secretIds.map((id) => found(source.secret(id), `secret ${id}`)) }),
  };
}
