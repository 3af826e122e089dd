import {
  emptyMapRoot,
  type MapEntry,
  type OrganizationHead,
  organizationValue,
  TlogError,
  updateMap,
  usageValue,
} from '@countersign/tlog';
import type { HeadRow, UsagePointRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import type { Integrity } from '../vault/vault.ts';
import { append, noHead } from './append.ts';
import { hasMoved, type Position } from './append-position.ts';
import { verifyChainHeads } from './chain-heads.ts';
import { aboutInstallation, INSTALLATION } from './entry.ts';
import type { LocalTreeState } from './local-tree-state.ts';
import { orAltered } from './log-error.ts';
import { headKey, toHeadRow } from './map-reader.ts';

/** The type of the leaf that records the first head map: all heads as they were when it was written. */
export const HEADS_BASELINE = 'HEADS_BASELINE';

export interface BaselineServices {
  readonly store: Pick<Store, 'organizations' | 'usage' | 'log'>;
  readonly integrity: Integrity;
  readonly view: LocalTreeState;
  readonly clock: { nowMs(): number };
  readonly epoch: number;
  alarm(organizationId: string, what: string): void;
  onProgress(organizations: number): void;
}

/** Why a map was written. */
export type BaselineStatus = 'MIGRATED' | 'RECOVERED';

/** Rows per read and per transaction. */
const PAGE = 1_000;
const PROGRESS_EVERY = 10_000;

const digestOf = (mac: Uint8Array) => sha256(mac).toString('hex');

/**
 * Writes a head map over all organizations and usage buckets as they are, and the leaf that records it. MIGRATED: the first map of a log
 * that an earlier release made; does nothing if the log has a map. RECOVERED: a new map, after the operator accepted the database as it is.
 * The queue must not contain entries of format 1. No process serves requests before the map is written.
 * INVARIANT: nodes are written only while the log has the state that they were made for, and no reader reaches them before the last step
 * stores their root. So a crash, or a second node that does the same, leaves nothing wrong.
 */
export async function writeBaseline(services: BaselineServices, status: BaselineStatus = 'MIGRATED'): Promise<void> {
  const { store, view } = services;
  for (;;) {
    const position = await view.refresh();
    if (status === 'MIGRATED' && position.mapRoot.length > 0) return;
    const baseline = new Baseline(services, position, status);
    if (!(await collected(baseline, store.log, position))) continue;
    const appended = baseline.append();
    if ((await store.log.integrate({ ...appended.step, expected: position, taken: [] })) === 'TAKEN') {
      view.advance(appended.position);
      return;
    }
  }
}

/** Returns false if another process has extended the log: what was read of two states may not match. Throws LogError if it must. */
function collected(baseline: Baseline, log: Store['log'], position: Position): Promise<boolean> {
  return orAltered(async () => {
    try {
      return await baseline.collect();
    } catch (error) {
      if (error instanceof TlogError && (await hasMoved(log, position))) return false;
      throw error;
    }
  });
}

/** One attempt to write a map over all organizations and usage buckets. */
class Baseline {
  readonly #services: BaselineServices;
  readonly #position: Position;
  readonly #status: BaselineStatus;
  readonly #nodes = new Map<string, Uint8Array>();
  #root = emptyMapRoot();
  #organizations = 0;
  #buckets = 0;
  #installation: OrganizationHead = noHead(INSTALLATION);

  constructor(services: BaselineServices, position: Position, status: BaselineStatus) {
    this.#services = services;
    this.#position = position;
    this.#status = status;
  }

  /** Reads all heads and stages the nodes and rows. Returns false if another process has extended the log. */
  async collect(): Promise<boolean> {
    const { store } = this.#services;
    for (let after = ''; ; ) {
      const rows = await store.organizations.heads(after, PAGE);
      if (!(await this.#addOrganizations(rows))) return false;
      after = rows.at(-1)?.organizationId ?? after;
      if (rows.length < PAGE) break;
    }
    if (!(await this.#addOthers())) return false;
    const nodes = [...this.#nodes].map(([prefix, node]) => ({ prefix, node }));
    for (let from = 0; from < nodes.length; from += PAGE)
      if (!(await this.#stage([], nodes.slice(from, from + PAGE)))) return false;
    return true;
  }

  /** The step that adds the leaf. */
  append() {
    const { integrity, epoch, clock } = this.#services;
    const root = Buffer.from(this.#root).toString('hex');
    const content = aboutInstallation(epoch, {
      fingerprint: `heads:${this.#organizations}:${this.#buckets}:${root}`,
      type: HEADS_BASELINE,
      status: this.#status,
      decisionDigest: '',
      resultDigest: '',
      timeMs: clock.nowMs(),
    });
    const row = { organizationId: INSTALLATION, activityId: `heads-${this.#position.size}`, revision: 0 };
    const heads = new Map([[INSTALLATION, this.#installation]]);
    return append(integrity, { ...this.#position, mapRoot: this.#root }, heads, [{ row, content }], this.#nodes);
  }

  async #addOrganizations(rows: readonly HeadRow[]): Promise<boolean> {
    const { store, integrity, onProgress } = this.#services;
    const chains = await store.log.heads(rows.map(({ organizationId }) => organizationId));
    const verified = await verifyChainHeads(store.log, integrity, this.#position, chains);
    const heads = rows.map(({ organizationId, version, mac }): OrganizationHead => {
      const { sequence, leafHash } = verified.get(organizationId) ?? noHead(organizationId);
      return { organizationId, sequence, leafHash, headVersion: version, headDigest: digestOf(mac) };
    });
    this.#set(heads);
    for (const { organizationId } of rows) await this.#addBuckets(organizationId);
    const before = Math.floor(this.#organizations / PROGRESS_EVERY);
    this.#organizations += rows.length;
    if (Math.floor(this.#organizations / PROGRESS_EVERY) > before) onProgress(this.#organizations);
    return this.#stage(heads.map(toHeadRow), []);
  }

  /** The installation itself. Any other organization that has leaves, but no row, keeps its last leaf. */
  async #addOthers(): Promise<boolean> {
    const { store, integrity, alarm } = this.#services;
    for (let after = ''; ; ) {
      const rows = await store.log.scanHeads(after, PAGE);
      after = rows.at(-1)?.organizationId ?? after;
      const others = [];
      for (const row of rows) if ((await store.organizations.head(row.organizationId)) === undefined) others.push(row);
      const heads = await verifyChainHeads(store.log, integrity, this.#position, others);
      this.#installation = heads.get(INSTALLATION) ?? this.#installation;
      heads.delete(INSTALLATION);
      for (const id of heads.keys()) alarm(id, 'it has leaves in the log, but is missing in the database');
      this.#set([...heads.values()]);
      if (rows.length < PAGE) return true;
    }
  }

  async #addBuckets(organizationId: string): Promise<void> {
    const { usage } = this.#services.store;
    for (let after = ''; ; ) {
      const buckets = await usage.buckets(organizationId, after, PAGE);
      if (buckets.length === 0) return;
      const points = await usage.newest(buckets.map((bucket) => ({ organizationId, bucket })));
      const entries = points.flatMap((point) => this.#toEntry(point));
      this.#buckets += entries.length;
      this.#update(entries);
      after = buckets.at(-1) as string;
    }
  }

  /** SECURITY: a point that does not verify gets no entry. So its bucket is rejected until the operator has repaired it. */
  #toEntry(point: UsagePointRow): readonly MapEntry[] {
    const { integrity, alarm } = this.#services;
    const { organizationId, bucket, revision, mac } = point;
    if (!macsEqual(integrity.usagePoint(point), mac)) {
      alarm(organizationId, `the newest count of the bucket ${bucket} was changed outside the service`);
      return [];
    }
    const value = usageValue({ revision, point: digestOf(mac) }, sha256);
    return [{ key: integrity.mapUsageKey(organizationId, bucket), value }];
  }

  #set(heads: readonly OrganizationHead[]): void {
    this.#update(heads.map((head) => ({ key: headKey(head.organizationId), value: organizationValue(head, sha256) })));
  }

  #update(entries: readonly MapEntry[]): void {
    const { root, nodes } = updateMap(this.#root, this.#nodes, entries, sha256);
    this.#root = root;
    for (const [prefix, node] of nodes) this.#nodes.set(prefix, node);
  }

  async #stage(heads: Parameters<Store['log']['stage']>[0]['heads'], map: Parameters<Store['log']['stage']>[0]['map']) {
    if (heads.length + map.length === 0) return true;
    return this.#services.store.log.stage({ expected: this.#position, heads, map });
  }
}
