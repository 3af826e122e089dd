import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { paths } from '../../packages/server/src/config/paths.ts';
import { unwrapDataKey } from '../../packages/server/src/vault/data-key.ts';
import { purposes, unseal } from '../../packages/server/src/vault/envelope.ts';
import { fileRootKey } from '../../packages/server/src/vault/root-key/providers/file.ts';
import type { Installation } from './installation.ts';

/** A secret of an installation in plain text, which only the holder of its root key can read. */
export interface OpenedSecret {
  readonly organizationId: string;
  readonly id: string;
  readonly kind: 'privateKey' | 'wallet';
  readonly bytes: Uint8Array;
  /** The recovery phrase of a wallet. */
  readonly mnemonic?: string;
}

/** Opens every stored secret with the root key file, row by row and without the service. */
export async function openSecrets(installation: Installation): Promise<OpenedSecret[]> {
  const raw = await installation.raw();
  const rootKeys = fileRootKey(paths.rootKey(installation.config));
  const rows = await raw.all(
    `SELECT s.organization_id, s.id, s.ciphertext, r.kind, r.body, d.root_key_id, d.wrapped FROM secrets s
     JOIN resources r ON r.organization_id = s.organization_id AND r.id = s.id
     JOIN data_keys d ON d.organization_id = s.organization_id`,
  );
  return Promise.all(
    rows.map(async (row) => {
      const [organizationId, id, rootKeyId] = [row.organization_id, row.id, row.root_key_id] as [string, string, string];
      const rootKey = await rootKeys.find(rootKeyId);
      if (rootKey === undefined) throw new Error(`no root key ${rootKeyId}`);
      const dataKey = await unwrapDataKey(rootKey, { organizationId, rootKeyId, wrapped: row.wrapped as Uint8Array });
      const kind = row.kind as OpenedSecret['kind'];
      const curve = JSON.parse(row.body as string).curve as keyof typeof purposes;
      const purpose = kind === 'wallet' ? purposes.WALLET : purposes[curve];
      const { bytes } = unseal(dataKey, row.ciphertext as Uint8Array, { organizationId, id, purpose });
      // Two bytes come before the entropy: its language and its length.
      const mnemonic = kind === 'wallet' && entropyToMnemonic(bytes.slice(2, 2 + (bytes[1] as number)), wordlist);
      return { organizationId, id, kind, bytes, ...(mnemonic && { mnemonic }) };
    }),
  );
}
