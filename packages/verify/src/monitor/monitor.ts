import { formatVerifierKey, TlogError } from '@countersign/tlog';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { AuditError } from '../audit-error.ts';
import { readKeys } from '../log-keys.ts';
import type { FetchPage } from '../proof/log-pages.ts';
import { compareTrees, isPrefix, PageError, type SizedTree } from './compare-trees.ts';
import { entriesFrom, type PlacedEntry } from './root-entries.ts';
import type { MonitorState, SeenEntry, WatchedShard } from './state.ts';

/** The logs of an installation with shards, and what is trusted. */
export interface MonitoredLogs {
  readonly rootKey: string;
  /** All of them must have cosigned the root log. */
  readonly witnessKeys: readonly string[];
  /** Keys of logs that replaced the one of a shard before, after its loss was accepted. */
  readonly acceptedKeys: readonly string[];
  /** Fetches a page of the root log. Throws PageError. */
  readonly root: FetchPage;
  /** Fetches a page of a shard's log, by the number of the shard. Throws PageError. */
  readonly shards: ReadonlyMap<number, FetchPage>;
}

/** Something that should not be. */
export interface Finding {
  /** The same in every round for as long as nothing changes. */
  readonly id: string;
  /** A sentence. */
  readonly text: string;
  /** Signed checkpoints that prove it to others. */
  readonly evidence: readonly string[];
}

export interface MonitorRound {
  /** What was seen. INVARIANT: after a contradiction, the state from before counts, so that the next round finds it again. */
  readonly state: MonitorState;
  /** Proofs that a log has two histories, or breaks the rules of a root log. They do not pass. */
  readonly contradictions: readonly Finding[];
  /** What can be true for a while: a log does not respond, shows an older tree, or does not have what another log has. */
  readonly conditions: readonly Finding[];
}

type Report = (id: string, text: string, evidence?: readonly string[]) => void;

interface Round {
  readonly logs: MonitoredLogs;
  readonly contradiction: Report;
  readonly condition: Report;
}

/** Reads what the root log and the shards show, and compares it with each other and with what they showed before. */
export async function monitorRound(before: MonitorState, logs: MonitoredLogs, nowMs: number): Promise<MonitorRound> {
  const contradictions: Finding[] = [];
  const conditions: Finding[] = [];
  const reportTo =
    (findings: Finding[]): Report =>
    (id, text, evidence = []) =>
      findings.push({ id, text, evidence });
  const round: Round = { logs, contradiction: reportTo(contradictions), condition: reportTo(conditions) };
  const { root, shards } = await followRoot(before, round);
  for (const number of logs.shards.keys())
    if (shards[number] === undefined) round.condition(`${number}: absent`, `The root log has no entry of shard ${number}.`);
  const followed: MonitorState['shards'] = {};
  for (const [number, shard] of Object.entries(shards)) followed[number] = await followShard(Number(number), shard, round);
  const since = Object.fromEntries(conditions.map(({ id }) => [id, before.since[id] ?? nowMs]));
  const state = { ...before, ...(root !== undefined && { root }), shards: followed, since };
  return { state: contradictions.length === 0 ? state : before, contradictions, conditions };
}

/** The newest checkpoint of the root log, and the shards with the entries that are new in it. */
async function followRoot(
  { root: before, shards: known }: MonitorState,
  round: Round,
): Promise<Pick<MonitorState, 'root' | 'shards'>> {
  const { rootKey, witnessKeys, root } = round.logs;
  const fetchPage = cached(root);
  const keys = readKeys({ logKey: rootKey, witnessKeys });
  const shards = structuredClone(known);
  let newest = before;
  await orUnreadable('root', 'The root log', round, async () => {
    const checkpoint = await readText(fetchPage, 'checkpoint');
    const now = keys.openHead(checkpoint);
    const seen = before === undefined ? undefined : keys.openHead(before);
    const change = await compareTrees(seen, now, fetchPage);
    if (change === 'FORK') {
      round.contradiction('root: fork', `The root log has two histories, of ${seen?.size} and ${now.size} entries.`, [
        before as string,
        checkpoint,
      ]);
    } else if (change === 'SMALLER') {
      round.condition('root: smaller', `The root log shows ${now.size} entries, and has shown ${seen?.size}.`, [
        before as string,
        checkpoint,
      ]);
    } else {
      keys.open(checkpoint);
      const added = structuredClone(known);
      for await (const entry of entriesFrom(seen?.size ?? 0, now, fetchPage)) enter(added, entry, checkpoint, round);
      // All entries or none: a page that could not be read is read again.
      Object.assign(shards, added);
      newest = checkpoint;
    }
  });
  return { root: newest, shards };
}

/** Adds an entry of the root log to its shard. The trees of a shard must grow, in one log, that no other shard has. */
function enter(shards: MonitorState['shards'], { index, shard, key, tree }: PlacedEntry, checkpoint: string, round: Round): void {
  const entered: SeenEntry = { index, size: tree.size, root: bytesToHex(tree.root) };
  const keyText = formatVerifierKey(key);
  const known = shards[shard];
  const wrong = (what: string) =>
    round.contradiction(`root: entry ${index}`, `Entry ${index} of the root log ${what}.`, [checkpoint]);
  const other = Object.entries(shards).find(([number, each]) => Number(number) !== shard && each.key === keyText);
  if (other !== undefined) wrong(`has the log of shard ${other[0]} as that of shard ${shard}`);
  if (known === undefined) {
    shards[shard] = { key: keyText, entered, unshown: [entered] };
    return;
  }
  if (known.key !== keyText) {
    if (!round.logs.acceptedKeys.some((accepted) => accepted.trim() === keyText))
      wrong(`has another log of shard ${shard}: ${keyText} instead of ${known.key}`);
    shards[shard] = { key: keyText, entered, unshown: [entered] };
    return;
  }
  if (entered.size < known.entered.size)
    wrong(`has ${entered.size} leaves of shard ${shard}, and entry ${known.entered.index} before it has ${known.entered.size}`);
  if (entered.size === known.entered.size && entered.root !== known.entered.root)
    wrong(`and entry ${known.entered.index} are two histories of shard ${shard} with ${entered.size} leaves`);
  known.unshown.push(entered);
  known.entered = entered;
}

/** Compares what a shard shows with what it showed before, and with its entries in the root log. */
async function followShard(number: number, shard: WatchedShard, round: Round): Promise<WatchedShard> {
  const name = `Shard ${number}`;
  const address = round.logs.shards.get(number);
  if (address === undefined) {
    round.condition(`${number}: address`, `The root log has entries of shard ${number}, and no address of it was given.`);
    return shard;
  }
  const fetchPage = cached(address);
  const { key, entered, shown: before } = shard;
  const keys = readKeys({ logKey: key });
  let followed = shard;
  await orUnreadable(String(number), name, round, async () => {
    const checkpoint = await readText(fetchPage, 'checkpoint');
    const now = keys.openHead(checkpoint);
    const seen = before === undefined ? undefined : keys.openHead(before);
    const change = await compareTrees(seen, now, fetchPage);
    if (change === 'FORK') {
      const text = `${name} has two histories, of ${seen?.size} and ${now.size} leaves.`;
      round.contradiction(`${number}: fork`, text, [before as string, checkpoint]);
      return;
    }
    if (change === 'SMALLER') {
      const text = `${name} shows ${now.size} leaves, and has shown ${seen?.size}.`;
      round.condition(`${number}: smaller`, text, [before as string, checkpoint]);
      return;
    }
    const unshown = await compareEntries(number, shard, { tree: now, checkpoint }, fetchPage, round);
    followed = { ...shard, shown: checkpoint, unshown: [...unshown] };
    if (now.size > entered.size)
      round.condition(
        `${number}: behind ${entered.index}`,
        `The root log has ${entered.size} of the ${now.size} leaves of shard ${number}.`,
      );
  });
  return followed;
}

/** The entries that the shard does not show yet. All others must be parts of what it shows. */
async function compareEntries(
  number: number,
  { unshown }: WatchedShard,
  { tree, checkpoint }: { readonly tree: SizedTree; readonly checkpoint: string },
  fetchPage: FetchPage,
  round: Round,
): Promise<readonly SeenEntry[]> {
  const later = unshown.filter(({ size }) => size > tree.size);
  for (const { index, size, root } of unshown.filter((entry) => entry.size <= tree.size))
    if (!(await isPrefix({ size, root: hexToBytes(root) }, tree, fetchPage)))
      round.contradiction(
        `${number}: entry ${index}`,
        `Entry ${index} of the root log has a history of shard ${number} with ${size} leaves that the shard does not show.`,
        [checkpoint],
      );
  const [first] = later;
  if (first !== undefined)
    round.condition(
      `${number}: unshown ${first.index}`,
      `Entry ${first.index} of the root log has ${first.size} leaves of shard ${number}, and the shard shows ${tree.size}.`,
      [checkpoint],
    );
  return later;
}

async function orUnreadable(id: string, name: string, round: Round, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PageError) round.condition(`${id}: unreadable`, `${name} cannot be read: ${error.message}.`);
    else if (error instanceof AuditError || error instanceof TlogError)
      round.condition(`${id}: unverified`, `${name} shows what does not verify: ${error.message}.`);
    else throw error;
  }
}

const readText = async (fetchPage: FetchPage, name: string) => new TextDecoder().decode(await fetchPage(name));

/** A tile has the same bytes at the same path. What this round compares needs many of them more than once. */
function cached(fetchPage: FetchPage): FetchPage {
  const tiles = new Map<string, Promise<Uint8Array>>();
  return (name) => {
    if (!/^tile\/\d/.test(name)) return fetchPage(name);
    const page = tiles.get(name) ?? fetchPage(name);
    tiles.set(name, page);
    return page;
  };
}
