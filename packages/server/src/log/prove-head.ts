import { TlogError } from '@countersign/tlog';
import type { HeadFault, ProveHead } from '../organizations/snapshot/snapshot-reader.ts';
import type { LogStateRow } from '../store/rows.ts';
import type { Head } from '../store/store.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import { type MapReading, readAtState } from './current-heads.ts';
import { type ReadEntry, readLogEntry } from './entry.ts';
import { newestHead } from './head-transitions.ts';
import { LogError } from './log-error.ts';
import { readHeads } from './map-reader.ts';

export interface ProverServices extends MapReading {
  /** Number of the epoch of this process. */
  readonly epoch: number;
}

/**
 * SECURITY: D274: the rows of an organization verify by themselves, but not that they are the newest ones. The head map in the log says
 * so, or an entry that is still queued and follows it.
 * INVARIANT: the state is read after the head. A commit is in the queue or, later, in the map, so a head that was committed is found.
 */
export function createHeadProver(services: ProverServices): ProveHead {
  const { store } = services;

  async function prove(state: LogStateRow | undefined, organizationId: string, head: Head): Promise<HeadFault | undefined> {
    // The log of an earlier release. Nothing is served before it has a map.
    if (state?.mapRoot.length === 0) return undefined;
    const heads = state === undefined ? undefined : await readHeads(store, state.mapRoot, [organizationId]);
    const logged = heads?.get(organizationId);
    const headDigest = sha256(head.mac).toString('hex');
    if (logged?.headVersion === head.version && logged.headDigest === headDigest) return undefined;
    if (logged !== undefined && logged.headVersion >= head.version) {
      const found =
        logged.headVersion === head.version ? 'with another content' : `but the log has version ${logged.headVersion}`;
      return { what: `it was put back: its version is ${head.version}, ${found}`, isBehind: logged.headVersion > head.version };
    }
    const newest = newestHead(organizationId, logged, await queuedOf(organizationId));
    if (newest?.headVersion === head.version && newest.headDigest === headDigest) return undefined;
    await requireSame(state);
    const found = newest === undefined ? 'is not in the log' : `is not in the log, whose newest version is ${newest.headVersion}`;
    const isBehind = newest !== undefined && newest.headVersion > head.version;
    return { what: `its version ${head.version} ${found}`, isBehind };
  }

  /** Queued entries that this epoch wrote about an organization. */
  async function queuedOf(organizationId: string): Promise<readonly ReadEntry[]> {
    return (await store.queuedAbout(organizationId)).flatMap((row) => {
      const content = readLogEntry(services.integrity, row);
      return content?.version === 2 && content.epoch === services.epoch ? [{ row, content }] : [];
    });
  }

  /** The entry may have left the queue after the map was read. */
  async function requireSame(before: LogStateRow | undefined): Promise<void> {
    const now = await store.state();
    const isSame = now?.size === before?.size && Buffer.compare(now?.root ?? none, before?.root ?? none) === 0;
    if (!isSame) throw new TlogError('the log is extended faster than it can be read');
  }

  return async (organizationId, head) => {
    try {
      return await readAtState(services, (state) => prove(state, organizationId, head));
    } catch (error) {
      if (error instanceof LogError) return { what: error.message, isBehind: false };
      throw error;
    }
  };
}

const none = new Uint8Array();
