import { decodeNode, mapNodeHash, TlogError, usageValue } from '@countersign/tlog';
import { EpochError } from '../../installation/epoch/epoch-error.ts';
import { storedEpoch } from '../../installation/epoch/open-epoch.ts';
import { emptyPosition } from '../../log/append-position.ts';
import { currentHeads, currentValues, readAtState } from '../../log/current-heads.ts';
import { INSTALLATION, readLogEntry } from '../../log/entry.ts';
import { LogError } from '../../log/log-error.ts';
import { createHeadProver } from '../../log/prove-head.ts';
import { loggedKeys, nameBucket } from '../../sending/logged-keys.ts';
import { readSend } from '../../sending/send-record.ts';
import type { Store } from '../../store/store.ts';
import type { UsageHead } from '../../store/usage-store.ts';
import { sha256 } from '../../vault/integrity/keyed-hash.ts';
import type { Integrity } from '../../vault/vault.ts';
import { counted, type Finding } from './finding.ts';

const PAGE = 500;
/** Nodes per read. */
const NODES = 256;

const fix = 'Find out who wrote to the database, then restore it from a backup made before that.';
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/**
 * Compares the newest head of every organization, the newest point of every usage bucket and the names of sent transactions with the head map
 * of the log, and counts the entries of the map, so that a missing one is found too.
 */
export async function checkHeads(store: Store, integrity: Integrity): Promise<readonly Finding[]> {
  try {
    return await new HeadCheck(store, integrity, await epochOf(store, integrity)).run();
  } catch (error) {
    if (error instanceof LogError) return [{ check: 'heads', ok: false, detail: error.message, fix: error.fix }];
    throw error;
  }
}

/** Another check reports an epoch that does not verify. */
async function epochOf(store: Store, integrity: Integrity): Promise<number> {
  try {
    return (await storedEpoch({ store: store.vault, integrity }))?.number ?? 1;
  } catch (error) {
    if (error instanceof EpochError) return 1;
    throw error;
  }
}

class HeadCheck {
  readonly #store: Store;
  readonly #integrity: Integrity;
  readonly #epoch: number;
  readonly #broken: Finding[] = [];
  /** Entries of the map that an organization, a bucket or a sent transaction was found for. */
  #found = 0;
  #organizations = 0;
  #buckets = 0;

  constructor(store: Store, integrity: Integrity, epoch: number) {
    this.#store = store;
    this.#integrity = integrity;
    this.#epoch = epoch;
  }

  async run(): Promise<readonly Finding[]> {
    const before = await this.#store.log.state();
    if (before === undefined) return [];
    if (before.mapRoot.length === 0)
      return [{ check: 'heads', ok: true, warning: true, detail: 'the log has no head map yet', fix: 'Start the service once.' }];
    for (let after = ''; ; ) {
      const rows = await this.#store.organizations.heads(after, PAGE);
      await this.#checkOrganizations(rows);
      after = rows.at(-1)?.organizationId ?? after;
      if (rows.length < PAGE) break;
    }
    this.#found += (await currentHeads(this.#reading(), [INSTALLATION])).size;
    await this.#checkCount(before.size);
    const counts = `${counted(this.#organizations, 'organization')} and ${counted(this.#buckets, 'usage bucket')}`;
    const detail = `${counts}: each has the newest state in the log`;
    return this.#broken.length > 0 ? this.#broken : [{ check: 'heads', ok: true, detail }];
  }

  async #checkOrganizations(rows: Awaited<ReturnType<Store['organizations']['heads']>>): Promise<void> {
    const reading = this.#reading();
    const prove = createHeadProver({ ...reading, epoch: this.#epoch });
    for (const row of rows) {
      const { organizationId } = row;
      // A service may commit between the page and the proof.
      const fault = await prove(organizationId, (await this.#store.organizations.head(organizationId)) ?? row);
      if (fault !== undefined && !(await this.#isProvenNow(prove, organizationId))) this.#add(organizationId, fault.what);
      await this.#checkBuckets(organizationId);
      await this.#checkSends(organizationId);
    }
    this.#organizations += rows.length;
    const ids = rows.map(({ organizationId }) => organizationId);
    this.#found += (await currentHeads(reading, ids)).size;
  }

  async #isProvenNow(prove: ReturnType<typeof createHeadProver>, organizationId: string): Promise<boolean> {
    const head = await this.#store.organizations.head(organizationId);
    return head !== undefined && (await prove(organizationId, head)) === undefined;
  }

  async #checkBuckets(organizationId: string): Promise<void> {
    for (let after = ''; ; ) {
      const buckets = await this.#store.usage.buckets(organizationId, after, PAGE);
      for (const bucket of buckets) await this.#checkBucket(organizationId, bucket);
      if (buckets.length < PAGE) return;
      after = buckets.at(-1) as string;
    }
  }

  async #checkBucket(organizationId: string, bucket: string): Promise<void> {
    const [point] = await this.#store.usage.newest([{ organizationId, bucket }]);
    this.#buckets++;
    if ((await this.#compare(organizationId, bucket, point)) !== 'NEWEST')
      this.#add(organizationId, `the newest count of the bucket ${bucket} is not the one in the log`);
  }

  /** Those that earlier releases sent, or that were there when a loss was accepted, are not in the log. */
  async #checkSends(organizationId: string): Promise<void> {
    for (let after = ''; ; ) {
      const rows = await this.#store.sends.keyed(organizationId, after, PAGE);
      for (const row of rows) {
        const sent = readSend(this.#integrity, row);
        if (sent === undefined)
          this.#add(organizationId, `the sent transaction ${row.id} was changed or inserted outside the service`);
        for (const { bucket, head } of sent === undefined ? [] : loggedKeys(sent)) {
          const isName = bucket === nameBucket(row.requestKey);
          if (isName && (await this.#store.sends.byRequestKey(organizationId, row.requestKey))?.id !== row.id) continue;
          if ((await this.#compare(organizationId, bucket, head)) === 'OTHER')
            this.#add(organizationId, `the sent transaction ${row.id} is not the newest in the log with its name or bytes`);
        }
      }
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id as string;
    }
  }

  /** Whether a point is the newest one of its key in the log, or in a queued entry. ABSENT: the log does not have the key. */
  async #compare(organizationId: string, bucket: string, point: UsageHead | undefined): Promise<'NEWEST' | 'OTHER' | 'ABSENT'> {
    const key = this.#integrity.mapUsageKey(organizationId, bucket);
    const [value] = await currentValues(this.#reading(), [key]);
    if (value !== undefined) this.#found++;
    if (point === undefined) return 'NEWEST';
    const digest = hex(sha256(point.mac));
    const stored = usageValue({ revision: point.revision, point: digest }, sha256);
    if (value !== undefined && Buffer.compare(value, stored) === 0) return 'NEWEST';
    const queued = await this.#store.log.queuedAbout(hex(key));
    const isQueued = queued.some((row) => {
      const content = readLogEntry(this.#integrity, row);
      if (content?.version !== 2 || content.epoch !== this.#epoch) return false;
      return (content.usage ?? []).some(
        ([of, revision, mac]) => of === hex(key) && revision === point.revision && mac === digest,
      );
    });
    if (isQueued) return 'NEWEST';
    return value === undefined ? 'ABSENT' : 'OTHER';
  }

  /** Compares the number of entries, unless a service extends the log during the check. */
  async #checkCount(size: number): Promise<void> {
    const entries = await readAtState(this.#reading(), async (state) =>
      state === undefined || state.size !== size ? undefined : this.#countEntries(state.mapRoot),
    );
    if (entries === undefined || entries <= this.#found) return;
    const detail = `${entries - this.#found} organizations, usage buckets or sent transactions in the head map of the log are missing in the database`;
    this.#broken.push({ check: 'heads', ok: false, detail, fix });
  }

  /** Reads every node of the map from the root on. Throws TlogError if one does not match. */
  async #countEntries(root: Uint8Array): Promise<number> {
    let entries = 0;
    for (let wanted: readonly (readonly [string, Uint8Array])[] = [['', root]]; wanted.length > 0; ) {
      const below: (readonly [string, Uint8Array])[] = [];
      for (let from = 0; from < wanted.length; from += NODES) {
        const part = wanted.slice(from, from + NODES);
        const rows = await this.#store.log.mapNodes(part.map(([prefix]) => prefix));
        const stored = new Map(rows.map(({ prefix, node }) => [prefix, node]));
        for (const [prefix, hash] of part) {
          const bytes = stored.get(prefix);
          if (bytes === undefined || Buffer.compare(mapNodeHash(bytes, sha256), hash) !== 0)
            throw new TlogError(`node ${prefix || 'at the root'} of the head map is missing or was altered`);
          const node = decodeNode(bytes);
          if (node.kind === 'bucket') entries += node.entries.length;
          else
            for (const [nibble, child] of node.children.entries())
              if (child !== undefined) below.push([`${prefix}${nibble.toString(16)}`, child]);
        }
      }
      wanted = below;
    }
    return entries;
  }

  #add(organizationId: string, what: string): void {
    this.#broken.push({ check: `state of ${organizationId}`, ok: false, detail: what, fix });
  }

  #reading() {
    return { store: this.#store.log, integrity: this.#integrity, seen: () => emptyPosition };
  }
}
