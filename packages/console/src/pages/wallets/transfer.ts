import {
  type Client,
  completed,
  fetchServiceKeys,
  generateTargetKey,
  openExportBundle,
  sealImportBundle,
  waitForApproval,
} from '@countersign/client';
import { apiBase } from '../../session/api.ts';
import type { Session } from '../../session/session.ts';
import { accountParams, chains } from './chains.ts';

/**
 * Exports the recovery phrase of a wallet. The service encrypts it to an ephemeral key of this page (HPKE, RFC 9180).
 * Waits for approvals if needed, because the key is only in the memory of this page.
 */
export async function exportPhrase(session: Session, writer: Client, walletId: string, waits: () => void): Promise<string> {
  const { organizationId, reader } = session;
  const { targetPublicKey, targetPrivateKey } = generateTargetKey();
  const submitted = await writer.exportWallet({ walletId, targetPublicKey });
  if (submitted.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') waits();
  const { result } = await waitForApproval(reader, submitted);
  const [{ exportBundle }] = Object.values(result) as [{ exportBundle: string }];
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  const bytes = await openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey });
  return new TextDecoder().decode(bytes);
}

/** Imports a recovery phrase. This page encrypts it to a key of the service for this person. */
export async function importPhrase(session: Session, writer: Client, walletName: string, phrase: string): Promise<void> {
  const { organizationId, userId } = session;
  const { importBundle } = completed(await writer.initImportWallet({ userId }));
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  const plaintext = new TextEncoder().encode(phrase.trim().replace(/\s+/g, ' '));
  const encryptedBundle = await sealImportBundle({ importBundle, organizationId, userId, signerPublicKey, plaintext });
  completed(await writer.importWallet({ userId, walletName, encryptedBundle, accounts: [accountParams(chains[0], 0)] }));
}
