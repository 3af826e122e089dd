import { randomUUID } from 'node:crypto';
import { type ApiKey, newApiKey, type StampKind } from './api-key.ts';
import type { Caller, Json } from './caller.ts';

let names = 0;

/** A name that is unique in this process. */
export function uniqueName(what: string): string {
  return `${what} ${++names}`;
}

/** An id in the service's form that names nothing. */
export function madeUpId(): string {
  return randomUUID();
}

export const ethereumPath = (index: number) => `m/44'/60'/0'/0/${index}`;

/** The parameters of an Ethereum account. */
export function ethereumAccount(index: number) {
  return {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: ethereumPath(index),
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  };
}

/** The parameters of an API key. */
export function apiKeyParams(key: ApiKey, more: object = {}) {
  return { apiKeyName: uniqueName('Key'), publicKey: key.publicKey, curveType: key.curve, ...more };
}

/** The parameters of a user with only the given API keys. */
export function userParams(...keys: ApiKey[]) {
  return {
    userName: uniqueName('User'),
    apiKeys: keys.map((key) => apiKeyParams(key)),
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  };
}

/** The parameters of a private key. */
export function privateKeyParams(curve: string, addressFormats: readonly string[] = []) {
  return { privateKeyName: uniqueName('Private key'), curve, privateKeyTags: [], addressFormats };
}

/** The parameters of a sub-organization whose one root user stamps with `key`. */
export function subOrganizationParams(key: ApiKey, more: object = {}) {
  const { userTags: _, ...rootUser } = userParams(key);
  return { subOrganizationName: uniqueName('Customer'), rootUsers: [rootUser], rootQuorumThreshold: 1, ...more };
}

/** The parameters of a signature over some text, by any key that is not ed25519. */
export function signParams(signWith: string, payload: string = uniqueName('Message')) {
  return {
    signWith,
    payload,
    encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    hashFunction: 'HASH_FUNCTION_SHA256',
  };
}

/** A user created for a test. */
export interface Member {
  readonly userId: string;
  readonly caller: Caller;
}

/** Creates a user in `root`'s organization, outside of its root quorum. */
export async function createMember(root: Caller, scheme?: StampKind): Promise<Member> {
  const key = newApiKey(scheme);
  const { userIds } = await root.result('createUsers', { users: [userParams(key)] });
  return { userId: userIds[0], caller: root.with({ key }) };
}

/** Creates a sub-organization of `root`'s organization and returns its root user. */
export async function createSubOrganization(root: Caller): Promise<Member & { readonly organizationId: string }> {
  const key = newApiKey();
  const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', subOrganizationParams(key));
  return {
    organizationId: subOrganizationId,
    userId: rootUserIds[0],
    caller: root.with({ key, organizationId: subOrganizationId }),
  };
}

/** The id of a new private key. */
export async function createPrivateKey(root: Caller, curve = 'CURVE_SECP256K1', formats?: readonly string[]): Promise<string> {
  const { privateKeys } = await root.result('createPrivateKeys', { privateKeys: [privateKeyParams(curve, formats)] });
  return privateKeys[0].privateKeyId;
}

/** A new wallet with Ethereum accounts. */
export async function createWallet(root: Caller, accounts = 1): Promise<{ walletId: string; addresses: string[] }> {
  const list = Array.from({ length: accounts }, (_, index) => ethereumAccount(index));
  return root.result('createWallet', { walletName: uniqueName('Wallet'), accounts: list });
}

/** The fields of an error that callers rely on, in either dialect. */
export function errorOf({ status, body }: { status: number; body: Json }) {
  const violations = body.details?.find((detail: Json) => detail.fieldViolations)?.fieldViolations;
  const fields = violations?.map((violation: Json) => violation.field);
  return { status, code: body.errorCode ?? body.turnkeyErrorCode, ...(fields && { fields }) };
}
