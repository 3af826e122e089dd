import { brokenChains } from '../../backup/check-heads.ts';
import { createLocalTreeState } from '../../log/local-tree-state.ts';
import type { Tree } from '../../log/tree.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import { checkArchives } from './check-archives.ts';
import { checkHeads } from './check-heads.ts';
import { checkLog } from './check-log.ts';
import { checkState } from './doctor.ts';
import type { Finding } from './finding.ts';

/**
 * Verifies a whole database: every organization, key, secret and activity, every leaf and tile of the log, and the chain of each
 * organization. Returns the log and the problems. Throws LogError if the log cannot be read.
 */
export async function verifyRestored(
  store: Store,
  vault: Vault,
  nowMs: number,
  onProgress: (done: number, total: number) => void,
): Promise<{ readonly tree: Tree; readonly findings: readonly Finding[] }> {
  const { size, root } = await createLocalTreeState(store.log, vault.integrity).refresh();
  let done = 0;
  const broken = await brokenChains(store, vault.integrity, { size, root }, (count) => {
    done += count;
    onProgress(done, size);
  });
  const log = await checkLog(store, vault.integrity, async () => [], nowMs, size);
  const state = [
    ...(await checkHeads(store, vault.integrity)),
    ...(await checkArchives(store, vault.integrity)),
    ...(await checkState(store, vault)),
  ];
  const findings = [
    ...broken.map(
      (id): Finding => ({ check: 'log', ok: false, detail: `leaves of ${id} are missing, or its last leaf was changed` }),
    ),
    // Entries that were queued when the backup was made are integrated by the first server.
    ...[...log, ...state].filter(({ ok, detail }) => !ok && !detail.startsWith('an entry is still queued')),
  ];
  return { tree: { size, root }, findings };
}
