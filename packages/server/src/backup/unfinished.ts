import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';

/** The setting that a restore leaves behind until it has finished. */
export const UNFINISHED_SETTING = 'installation.restoring';

/**
 * The marker of an unfinished restore. `LOADING`: nothing is stored yet. `COMMITTED`: all rows are stored, but the data directory is not
 * updated yet. Its content is the report of the restore, with the checkpoints that were compared and the accepted loss.
 */
export type RestoreMarker =
  | { readonly state: 'LOADING' }
  | { readonly state: 'COMMITTED'; readonly content: string; readonly mac: string };

/** The marker of a restore that has stored nothing yet. */
export function loadingMarker(digest: string): string {
  return JSON.stringify({ version: 2, state: 'LOADING', digest });
}

/** The marker of a restore whose rows are stored. `content` is JSON. */
export function committedMarker(integrity: Integrity, content: string): string {
  const mac = Buffer.from(integrity.copy('restoring', content)).toString('base64');
  return JSON.stringify({ version: 2, state: 'COMMITTED', content, mac });
}

/** The marker in the database, if any. Earlier releases stored a bare digest, which reads as `LOADING`. */
export async function readMarker(store: Pick<Store['vault'], 'setting'>): Promise<RestoreMarker | undefined> {
  const setting = await store.setting(UNFINISHED_SETTING);
  if (setting === undefined) return undefined;
  const { state, content, mac } = parse(setting.body);
  return state === 'COMMITTED' ? { state, content: String(content), mac: String(mac) } : { state: 'LOADING' };
}

function parse(body: string): { readonly state?: unknown; readonly content?: unknown; readonly mac?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/**
 * The content of a committed marker.
 * SECURITY: throws BackupError unless this installation wrote it, because it decides which high-water marks of the data directory are renamed.
 */
export function openMarker(integrity: Integrity, { content, mac }: Extract<RestoreMarker, { state: 'COMMITTED' }>): unknown {
  if (macsEqual(integrity.copy('restoring', content), Buffer.from(mac, 'base64'))) return JSON.parse(content);
  throw new BackupError(
    'This installation did not write the marker of an interrupted restore that is in the database.',
    'Find out who wrote to the database, move it away, and restore the backup into an empty one.',
  );
}

/** Throws StoreError if a restore into this database did not finish: an incomplete database must not become a new installation. */
export async function refuseUnfinished(store: Pick<Store['vault'], 'setting'>): Promise<void> {
  const marker = await readMarker(store);
  if (marker === undefined) return;
  if (marker.state === 'LOADING') {
    throw new StoreError(
      'A restore into this database did not finish, so it is empty.',
      "Run 'countersign restore' again, with the same file or another.",
    );
  }
  throw new StoreError(
    'A restore into this database did not finish: the backup is stored, but the data directory is not updated yet.',
    "Run 'countersign restore' again with the same --data-dir to finish it.",
  );
}
