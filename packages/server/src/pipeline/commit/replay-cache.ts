import { KEY_WORDS, writeReplayKey } from '../../log/replay-key.ts';

/** How long a stamped body can be replayed: an hour, plus the five minutes that its timestamp may be ahead. */
const WINDOW_MS = 65 * 60 * 1000;
/** Together they cover the window while the newest one is still filling. */
const GENERATIONS = 3;
const GENERATION_MS = Math.ceil(WINDOW_MS / (GENERATIONS - 1));
/** Entries per generation: 48 MB. A process that executes more requests than this in half the window evicts entries early. */
const MAX_ENTRIES = 2 ** 21;
const FIRST_SLOTS = 1024;

/**
 * Fingerprints that this process has executed in each organization and whose bodies could still be replayed. The same body may be executed
 * in several organizations: a sign-in is executed in the organization of its key.
 * SECURITY: an attacker who deletes the row of an activity and replays its stamped body would have it executed twice. The row is gone, but
 * this entry is not.
 */
export interface ReplayCache {
  add(organizationId: string, fingerprint: string, nowMs: number): void;
  /** Adds replay keys, one after the other. Keys of zeros are skipped. */
  addKeys(keys: Uint32Array, nowMs: number): void;
  has(organizationId: string, fingerprint: string): boolean;
}

export function createReplayCache(): ReplayCache {
  let generations = [createGeneration(0)];

  function generationAt(nowMs: number): Generation {
    let [newest] = generations as [Generation];
    if (newest.count >= MAX_ENTRIES || nowMs - newest.startedAtMs >= GENERATION_MS) {
      newest = createGeneration(nowMs);
      generations = [newest, ...generations.slice(0, GENERATIONS - 1)];
    }
    return newest;
  }

  return {
    add: (organizationId, fingerprint, nowMs) => generationAt(nowMs).add(keyOf(organizationId, fingerprint)),
    addKeys(keys, nowMs) {
      for (let at = 0; at < keys.length; at += KEY_WORDS)
        if (!isFree(keys, at)) generationAt(nowMs).add(keys.subarray(at, at + KEY_WORDS));
    },
    has(organizationId, fingerprint) {
      const key = keyOf(organizationId, fingerprint);
      return generations.some((generation) => generation.has(key));
    },
  };
}

interface Generation {
  readonly startedAtMs: number;
  readonly count: number;
  add(words: Uint32Array): void;
  has(words: Uint32Array): boolean;
}

/**
 * A set of 128-bit numbers in one array, with open addressing. Fingerprints are SHA-256 hashes, so their bits serve as the hash; no entry is
 * all zeros.
 */
function createGeneration(startedAtMs: number): Generation {
  let slots = FIRST_SLOTS;
  let table = new Uint32Array(slots * KEY_WORDS);
  let count = 0;

  /** The slot of an entry, or the free slot for it. */
  function find(words: Uint32Array): number {
    for (let slot = (words[0] as number) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * KEY_WORDS;
      if (isFree(table, at) || same(table, at, words)) return at;
    }
  }

  function grow(): void {
    const before = table;
    slots *= 2;
    table = new Uint32Array(slots * KEY_WORDS);
    for (let at = 0; at < before.length; at += KEY_WORDS) {
      const words = before.subarray(at, at + KEY_WORDS);
      if (!isFree(before, at)) table.set(words, find(words));
    }
  }

  return {
    startedAtMs,
    get count() {
      return count;
    },
    add(words) {
      // At most two thirds full, to keep probing short.
      if (count * 3 >= slots * 2) grow();
      const at = find(words);
      if (!isFree(table, at)) return;
      table.set(words, at);
      count++;
    },
    has: (words) => !isFree(table, find(words)),
  };
}

function isFree(table: Uint32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}

function same(table: Uint32Array, at: number, words: Uint32Array): boolean {
  return table[at] === words[0] && table[at + 1] === words[1] && table[at + 2] === words[2] && table[at + 3] === words[3];
}

/** Reused buffer for the current lookup. It is never retained. */
const scratch = new Uint32Array(KEY_WORDS);

function keyOf(organizationId: string, fingerprint: string): Uint32Array {
  writeReplayKey(scratch, 0, organizationId, fingerprint);
  return scratch;
}
