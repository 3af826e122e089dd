import { type Client, fetchServiceKeys, generateTargetKey, openExportBundle, sealImportBundle } from '@countersign/client';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { approved, isCompleted } from '../../data/approved.ts';
import { apiBase } from '../../session/api.ts';
import type { Session } from '../../session/session.ts';
import { accountParams, type Chain, chains } from './chains.ts';

/** What can be exported: the phrase of a wallet, or the key of one account or of a private key. */
export type Exported = { readonly walletId: string } | { readonly address: string } | { readonly privateKeyId: string };

/**
 * Exports a recovery phrase, or a private key in hexadecimal. The service encrypts it to an ephemeral key of this page (HPKE, RFC 9180).
 * Waits for approvals if needed, because the key is only in the memory of this page.
 */
export async function exportSecret(session: Session, writer: Client, what: Exported, waits: () => void): Promise<string> {
  const { organizationId, reader } = session;
  const { targetPublicKey, targetPrivateKey } = generateTargetKey();
  const submitted = await submitExport(writer, what, targetPublicKey);
  const { exportBundle } = await approved<{ exportBundle: string }>(reader, submitted, waits);
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  const bytes = await openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey });
  return 'walletId' in what ? new TextDecoder().decode(bytes) : bytesToHex(bytes);
}

function submitExport(writer: Client, what: Exported, targetPublicKey: string) {
  if ('walletId' in what) return writer.exportWallet({ ...what, targetPublicKey });
  if ('address' in what) return writer.exportWalletAccount({ ...what, targetPublicKey });
  return writer.exportPrivateKey({ ...what, targetPublicKey });
}

/**
 * Imports a recovery phrase. This page encrypts it to a key of the service for this person. Waits for approvals of that key, because the
 * phrase is only in the memory of this page. Returns whether the import itself is completed: it may be pending.
 */
export async function importPhrase(
  session: Session,
  writer: Client,
  { name: walletName, phrase }: { name: string; phrase: string },
  waits: () => void,
): Promise<boolean> {
  const { userId, reader } = session;
  const { importBundle } = await approved(reader, await writer.initImportWallet({ userId }), waits);
  const encryptedBundle = await seal(session, importBundle, new TextEncoder().encode(phrase.trim().replace(/\s+/g, ' ')));
  const accounts = [accountParams(chains[0], 0)];
  return isCompleted(await writer.importWallet({ userId, walletName, encryptedBundle, accounts }));
}

/** Imports a private key of 32 bytes in hexadecimal. Waits and returns as `importPhrase` does. */
export async function importKey(
  session: Session,
  writer: Client,
  { name: privateKeyName, hex, chain }: { name: string; hex: string; chain: Chain },
  waits: () => void,
): Promise<boolean> {
  const { userId, reader } = session;
  const { curve, addressFormat } = chain;
  const { importBundle } = await approved(reader, await writer.initImportPrivateKey({ userId }), waits);
  const encryptedBundle = await seal(session, importBundle, hexToBytes(hex));
  const addressFormats = [addressFormat];
  return isCompleted(await writer.importPrivateKey({ userId, privateKeyName, encryptedBundle, curve, addressFormats }));
}

async function seal({ organizationId, userId }: Session, importBundle: string, plaintext: Uint8Array): Promise<string> {
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  return sealImportBundle({ importBundle, organizationId, userId, signerPublicKey, plaintext });
}
