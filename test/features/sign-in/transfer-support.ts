import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  type KeyPair,
  newKeyPair,
  openExportBundle,
  sealImportBundle,
} from '../../../packages/server/test/vault/bundle-client.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { uniqueName } from '../../support/world.ts';

export const utf8 = (text: string) => Buffer.from(text, 'utf8');

/** A well-known phrase, and its first Ethereum account. */
export const STANDARD = `${'abandon '.repeat(11)}about`;
export const STANDARD_ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

/** The public key of 32 bytes, on each curve. */
export const publicKeyOf = {
  CURVE_SECP256K1: (key: Uint8Array) => secp256k1.getPublicKey(key, true),
  CURVE_P256: (key: Uint8Array) => p256.getPublicKey(key, true),
  CURVE_ED25519: (key: Uint8Array) => ed25519.getPublicKey(key),
} as const;

/** A client's key pair, with its public half in the form of parameters. */
export interface Target extends KeyPair {
  readonly hex: string;
}

export function newTarget(): Target {
  const pair = newKeyPair();
  return { ...pair, hex: Buffer.from(pair.publicKey).toString('hex') };
}

/** The public keys that a service publishes. */
export async function publishedKeys(url: string): Promise<Record<string, string>> {
  return (await fetch(`${url}/.well-known/countersign-keys`)).json() as Promise<Record<string, string>>;
}

/** The opened bundle of an export. */
export async function openExport(caller: Caller, exportBundle: string, target: KeyPair): Promise<Buffer> {
  const { signer } = await publishedKeys(caller.url);
  return openExportBundle(exportBundle, signer as string, caller.organizationId, target);
}

/** Exports a wallet and returns its phrase. */
export async function phraseOf(caller: Caller, walletId: string, more: object = {}): Promise<string> {
  const target = newTarget();
  const { exportBundle } = await caller.result('exportWallet', { walletId, targetPublicKey: target.hex, ...more });
  return (await openExport(caller, exportBundle, target)).toString('utf8');
}

/** A user who imports: a caller and the user's own id. */
export interface Importer {
  readonly caller: Caller;
  readonly userId: string;
}

/** The two steps of each import. */
const steps = {
  wallet: ['initImportWallet', 'importWallet'],
  privateKey: ['initImportPrivateKey', 'importPrivateKey'],
} as const;

export type ImportKind = keyof typeof steps;

/** Something to import of each kind; another thing for each number. */
export function sampleOf(kind: ImportKind, number: number): Uint8Array {
  return kind === 'wallet' ? utf8(`${STANDARD}\n${number}`) : new Uint8Array(32).fill(number + 1);
}

/** Something to import of each kind. */
export const samples: Readonly<Record<ImportKind, Uint8Array>> = {
  wallet: utf8(STANDARD),
  privateKey: new Uint8Array(32).fill(0x11),
};

/** Gets a target and encrypts to it. */
export async function prepareImport({ caller, userId }: Importer, kind: ImportKind, plaintext: Uint8Array): Promise<string> {
  const { importBundle } = await caller.result(steps[kind][0], { userId });
  const { signer } = await publishedKeys(caller.url);
  return sealImportBundle(importBundle, signer as string, { organizationId: caller.organizationId, userId }, plaintext);
}

/** Submits a bundle. */
export function submitImport(
  { caller, userId }: Importer,
  kind: ImportKind,
  encryptedBundle: string,
  more: object = {},
): Promise<Answer> {
  const params =
    kind === 'wallet'
      ? { walletName: uniqueName('Imported'), accounts: [] }
      : { privateKeyName: uniqueName('Imported'), curve: 'CURVE_SECP256K1', addressFormats: [] };
  return caller.submit(steps[kind][1], { userId, ...params, encryptedBundle, ...more });
}

/** Runs a whole import and returns its result. */
export async function runImport(importer: Importer, kind: ImportKind, plaintext: Uint8Array, more: object = {}): Promise<Json> {
  const answer = await submitImport(importer, kind, await prepareImport(importer, kind, plaintext), more);
  if (answer.status !== 200) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  const { result } = answer.body.activity;
  return Object.values(result.activity?.result ?? result)[0];
}
