import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';

/** The setting that a restore leaves behind until it has finished. */
export const UNFINISHED_SETTING = 'installation.restoring';

/**
 * The mark of an unfinished restore. `LOADING`: nothing is stored yet. `COMMITTED`: all rows are stored, and the data directory has to
 * follow. Its content is what was compared and accepted.
 */
export type RestoreMark =
  | { readonly state: 'LOADING' }
  | { readonly state: 'COMMITTED'; readonly content: string; readonly mac: string };

/** The mark of a restore that begins. */
export function loadingMark(digest: string): string {
  return JSON.stringify({ version: 2, state: 'LOADING', digest });
}

/** The mark of a restore whose rows are stored. `content` is JSON. */
export function committedMark(integrity: Integrity, content: string): string {
  const mac = Buffer.from(integrity.copy('restoring', content)).toString('base64');
  return JSON.stringify({ version: 2, state: 'COMMITTED', content, mac });
}

/** The mark in the database, if any. The mark of an earlier release is a digest, and means that nothing is stored yet. */
export async function readMark(store: Pick<Store['vault'], 'setting'>): Promise<RestoreMark | undefined> {
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
 * The content of a committed mark.
 * SECURITY: throws BackupError unless this installation wrote it. It decides which high-water marks of the data directory are set aside.
 */
export function openMark(integrity: Integrity, { content, mac }: Extract<RestoreMark, { state: 'COMMITTED' }>): unknown {
  if (macsEqual(integrity.copy('restoring', content), Buffer.from(mac, 'base64'))) return JSON.parse(content);
  throw new BackupError(
    'The mark of an interrupted restore in this database is not one that this installation wrote.',
    'Find out who wrote to the database, move it away, and restore the backup into an empty one.',
  );
}

/** Throws StoreError if a restore into this database did not finish: an incomplete database must not become a new installation. */
export async function refuseUnfinished(store: Pick<Store['vault'], 'setting'>): Promise<void> {
  const mark = await readMark(store);
  if (mark === undefined) return;
  if (mark.state === 'LOADING') {
    throw new StoreError(
      'A restore into this database did not finish, so it is empty.',
      "Run 'countersign restore' again, with the same file or another.",
    );
  }
  throw new StoreError(
    'A restore into this database did not finish: the backup is stored, and the data directory does not know it yet.',
    "Run 'countersign restore' again with the same --data-dir: it finishes what was begun.",
  );
}
