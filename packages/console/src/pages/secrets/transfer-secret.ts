import { type Client, fetchServiceKeys, generateTargetKey, openExportBundle, sealImportBundle } from '@countersign/client';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { approved, isCompleted } from '../../data/approved.ts';
import { apiBase } from '../../session/api.ts';
import type { Session } from '../../session/session.ts';

const encryptionSuite = 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1';

/** A secret to import. */
export interface NewSecret {
  readonly name: string;
  readonly content: string;
  readonly staticProperties: readonly { readonly key: string; readonly value: string }[];
}

/** The content of an exported secret: text, or bytes in hexadecimal that are none. */
export interface Content {
  readonly text: string;
  readonly isHex: boolean;
}

/**
 * Imports a secret. This page encrypts it to a key of the service for this person (HPKE, RFC 9180). Waits for approvals of that key, because
 * the content is only in the memory of this page. Returns whether the import itself is completed: it may be pending.
 */
export async function importSecret(session: Session, writer: Client, secret: NewSecret, waits: () => void): Promise<boolean> {
  const { organizationId, userId, reader } = session;
  const { name, content, staticProperties } = secret;
  const submitted = await writer.initImportSecrets({ encryptionSuite, numSecrets: 1 });
  const { enclaveTargetMessages } = await approved(reader, submitted, waits);
  const [importBundle = ''] = enclaveTargetMessages;
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  const plaintext = new TextEncoder().encode(content);
  const secretPayload = await sealImportBundle({ importBundle, organizationId, userId, signerPublicKey, plaintext });
  const targetPublicKey = targetOf(importBundle);
  const properties = staticProperties.map(({ key, value }) => ({ key, value }));
  return isCompleted(
    await writer.importSecrets({
      secrets: [{ name, secretPayload, targetPublicKey, encryptionSuite, staticProperties: properties }],
    }),
  );
}

/** The public key in a message whose signature was verified. */
function targetOf(message: string): string {
  const { data } = JSON.parse(message) as { readonly data: string };
  return (JSON.parse(new TextDecoder().decode(hexToBytes(data))) as { readonly targetPublic: string }).targetPublic;
}

/** Exports a secret. The service encrypts it to an ephemeral key of this page. Waits for approvals. */
export async function exportSecretContent(
  { organizationId, reader }: Session,
  writer: Client,
  secretId: string,
  waits: () => void,
): Promise<Content> {
  const { targetPublicKey, targetPrivateKey } = generateTargetKey();
  const submitted = await writer.exportSecrets({ secrets: [{ secretId, targetPublicKey, encryptionSuite }] });
  const { secretPayloads } = await approved(reader, submitted, waits);
  const [exportBundle = ''] = secretPayloads;
  const { signer: signerPublicKey } = await fetchServiceKeys(apiBase());
  return contentOf(await openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey }));
}

function contentOf(bytes: Uint8Array): Content {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), isHex: false };
  } catch {
    return { text: bytesToHex(bytes), isHex: true };
  }
}
