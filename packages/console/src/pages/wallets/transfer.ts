import {
  type Client,
  completed,
  fetchServiceKeys,
  generateTargetKey,
  openExportBundle,
  sealImportBundle,
  waitForApproval,
} from '@countersign/client';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
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
  if (submitted.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') waits();
  const { result } = await waitForApproval(reader, submitted);
  const [{ exportBundle }] = Object.values(result) as [{ exportBundle: string }];
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  const bytes = await openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey });
  return 'walletId' in what ? new TextDecoder().decode(bytes) : bytesToHex(bytes);
}

function submitExport(writer: Client, what: Exported, targetPublicKey: string) {
  if ('walletId' in what) return writer.exportWallet({ ...what, targetPublicKey });
  if ('address' in what) return writer.exportWalletAccount({ ...what, targetPublicKey });
  return writer.exportPrivateKey({ ...what, targetPublicKey });
}

/** Imports a recovery phrase. This page encrypts it to a key of the service for this person. */
export async function importPhrase(session: Session, writer: Client, walletName: string, phrase: string): Promise<void> {
  const { userId } = session;
  const { importBundle } = completed(await writer.initImportWallet({ userId }));
  const encryptedBundle = await seal(session, importBundle, new TextEncoder().encode(phrase.trim().replace(/\s+/g, ' ')));
  completed(await writer.importWallet({ userId, walletName, encryptedBundle, accounts: [accountParams(chains[0], 0)] }));
}

/** Imports a private key of 32 bytes in hexadecimal. */
export async function importKey(
  session: Session,
  writer: Client,
  { name, hex, chain }: { name: string; hex: string; chain: Chain },
): Promise<void> {
  const { userId } = session;
  const { curve, addressFormat } = chain;
  const { importBundle } = completed(await writer.initImportPrivateKey({ userId }));
  const encryptedBundle = await seal(session, importBundle, hexToBytes(hex));
  completed(
    await writer.importPrivateKey({ userId, privateKeyName: name, encryptedBundle, curve, addressFormats: [addressFormat] }),
  );
}

async function seal({ organizationId, userId }: Session, importBundle: string, plaintext: Uint8Array): Promise<string> {
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  return sealImportBundle({ importBundle, organizationId, userId, signerPublicKey, plaintext });
}
