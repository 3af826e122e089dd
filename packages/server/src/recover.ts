import { hash } from 'node:crypto';
import { systemClock } from './clock/system-clock.ts';
import type { Config } from './config/settings.ts';
import { requireDatabase, requireRootKey } from './doctor.ts';
import { type Anchor, readAnchor, setAnchorAside } from './log/anchor.ts';
import { installationEntry, LOSS_ACCEPTED } from './log/entry.ts';
import { verifiedLeaves } from './log/leaves.ts';
import { LogFault } from './log/log-fault.ts';
import type { Tree } from './log/tree.ts';
import { createLogView } from './log/view.ts';
import { logAnchors, openStore, rootKeyProvider } from './service.ts';
import type { Store } from './store/store.ts';
import { openVault } from './vault/open-vault.ts';
import type { Vault } from './vault/vault.ts';

/** How the stored log compares with what this server saw last. */
export type LogVerdict =
  /** It begins with all that was seen. */
  | 'SOUND'
  /** It is a part of what was seen, or anyway smaller. */
  | 'SHORTER'
  /** It is at least as long, and begins otherwise. */
  | 'ANOTHER_HISTORY'
  /** The file in the data directory is not a checkpoint that this installation signed. */
  | 'UNREADABLE';

export interface Recovery {
  readonly verdict: LogVerdict;
  /** What this server saw. Null if it has seen nothing, or its note cannot be read. */
  readonly seen: { readonly entries: number; readonly atMs: number } | null;
  /** What the database has. */
  readonly stored: { readonly entries: number; readonly newestAtMs: number | null };
  /** Entries that were seen and are not stored. With another history, at least one of those seen is not. */
  readonly missing: number;
  /** Where the note of what was seen is kept now. Null if nothing was accepted. */
  readonly setAside: string | null;
}

/**
 * Compares the database with what this server saw last. With `acceptLoss`, goes on with the database as it is: the checkpoint that was
 * seen is kept under another name, and the log gets an entry that says what was lost. Every server must be stopped for that.
 * SECURITY: what was deleted since is back, and that is for the operator to decide. Bodies that were stamped before this moment are not
 * carried out any more, because some of them may have been.
 */
export async function recover(config: Config, acceptLoss: boolean, system = systemClock): Promise<Recovery> {
  requireDatabase(config);
  requireRootKey(config);
  const store = await openStore(config);
  try {
    const release = acceptLoss ? await store.hold('exclusive') : undefined;
    const vault = await openVault({ store, rootKeys: rootKeyProvider(config, store) });
    try {
      return await compareAndAccept(config, store, vault, acceptLoss ? system.nowMs() : undefined);
    } finally {
      vault.close();
      await release?.();
    }
  } finally {
    await store.close();
  }
}

async function compareAndAccept(
  config: Config,
  { log }: Store,
  { integrity, service }: Vault,
  acceptedAtMs: number | undefined,
): Promise<Recovery> {
  const { size, root } = await createLogView(log, integrity).refresh();
  const [newest] = size === 0 ? [] : await verifiedLeaves(log, integrity, { size, root }, size - 1, size);
  const judged = await Promise.all(
    logAnchors(config).map(async (path) => {
      const anchor = await readOrUnreadable(path, service.logKey);
      return { path, anchor, verdict: anchor === 'UNREADABLE' ? anchor : await compare(log, integrity, { size, root }, anchor) };
    }),
  );
  const unsound = judged.filter(({ verdict }) => verdict !== 'SOUND').sort((left, right) => sizeOf(right) - sizeOf(left));
  // The worst of what was noted, or else what is noted in the data directory.
  const { anchor, verdict } = (unsound[0] ?? judged[0]) as (typeof judged)[number];
  const seen = anchor === 'UNREADABLE' || anchor === undefined ? null : { entries: anchor.size, atMs: anchor.atMs };
  const accepts = acceptedAtMs !== undefined && verdict !== 'SOUND';
  // INVARIANT: first the entry, then the name. Whoever is interrupted in between says it twice, never not at all.
  if (accepts) await log.enqueue(lossEntry(integrity, verdict, anchor, acceptedAtMs));
  const aside: string[] = [];
  if (accepts) for (const { path } of unsound) aside.push(await setAnchorAside(path, acceptedAtMs));
  return {
    verdict,
    seen,
    stored: { entries: size, newestAtMs: newest?.opening.timeMs ?? null },
    missing: Math.max(0, (seen?.entries ?? 0) - size),
    setAside: aside[0] ?? null,
  };
}

const sizeOf = ({ anchor }: { readonly anchor: Anchor | 'UNREADABLE' | undefined }) =>
  anchor === undefined || anchor === 'UNREADABLE' ? 0 : anchor.size;

async function readOrUnreadable(path: string, logKey: Uint8Array): Promise<Anchor | 'UNREADABLE' | undefined> {
  try {
    return await readAnchor(path, logKey);
  } catch (error) {
    if (error instanceof LogFault) return 'UNREADABLE';
    throw error;
  }
}

async function compare(
  log: Store['log'],
  integrity: Vault['integrity'],
  { size }: Tree,
  anchor: Anchor | undefined,
): Promise<LogVerdict> {
  if (anchor === undefined) return 'SOUND';
  if (size < anchor.size) return 'SHORTER';
  try {
    await createLogView(log, integrity, anchor).refresh();
    return 'SOUND';
  } catch (error) {
    if (error instanceof LogFault) return 'ANOTHER_HISTORY';
    throw error;
  }
}

/** The loss becomes evidence itself: the digest is that of the checkpoint that was seen. */
function lossEntry(integrity: Vault['integrity'], status: LogVerdict, anchor: Anchor | 'UNREADABLE' | undefined, timeMs: number) {
  const known = typeof anchor === 'object' ? anchor : undefined;
  return installationEntry(integrity, `loss-${timeMs}`, {
    fingerprint:
      known === undefined ? 'checkpoint:unknown' : `checkpoint:${known.size}:${Buffer.from(known.root).toString('hex')}`,
    type: LOSS_ACCEPTED,
    status,
    decisionDigest: known === undefined ? '' : hash('sha256', known.checkpoint),
    resultDigest: '',
    timeMs,
  });
}
