import { openOwnCheckpoint } from '../log/checkpoint.ts';
import type { Tree } from '../log/tree.ts';
import { migrations } from '../store/migrations/migrations.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Vault } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';
import { claimsText, type End, type Header } from './format.ts';

/** Throws unless this release can read the rows: another schema may have other columns. */
export function requireSchema({ schemaVersion, release }: Header): void {
  const known = migrations.at(-1)?.id ?? 0;
  if (schemaVersion === known) return;
  throw new BackupError(
    `The backup was made by release ${release} with schema ${schemaVersion}, and this release has schema ${known}.`,
    schemaVersion > known
      ? 'Restore it with that release or a newer one.'
      : 'Restore it with the release that made it, then start this one, which migrates the schema.',
  );
}

/** Throws unless this installation made the backup. */
export function requireMac({ integrity }: Vault, end: End): void {
  if (macsEqual(integrity.copy('backup', claimsText(end)), Buffer.from(end.mac, 'base64'))) return;
  throw new BackupError(
    'This installation did not make the backup, or it was changed.',
    'Use another copy, or an earlier backup.',
  );
}

/** Throws unless the restored log is that of the backup's checkpoint. */
export function requireCheckpoint({ service }: Vault, { checkpoint }: End, tree: Tree): void {
  const named = checkpoint === null ? undefined : openOwnCheckpoint(service.logKey, checkpoint);
  if ((named?.size ?? 0) === tree.size && (named === undefined || Buffer.compare(named.root, tree.root) === 0)) return;
  throw new BackupError('The log in the backup does not match its checkpoint.', 'Use another backup.');
}
