/** How long a stamped body can be sent again: an hour, and the five minutes that its time may lie ahead. */
const WINDOW_MS = 65 * 60 * 1000;
/** Together they cover the window while the newest one is still filling. */
const GENERATIONS = 3;
const GENERATION_MS = Math.ceil(WINDOW_MS / (GENERATIONS - 1));
/** Entries in a generation: 48 MB. A process that carries out more than this in half the window forgets sooner. */
const MAX_ENTRIES = 2 ** 21;
const FIRST_SLOTS = 1024;
/** Words of 32 bits that are kept of a fingerprint in an organization. */
const WORDS = 4;

/**
 * The fingerprints that this process has carried out in each organization and whose bodies could still be sent again. The same body may be
 * carried out in several: a sign-in goes to the organization of its key.
 * SECURITY: somebody who deletes the row of an activity and sends its stamped body again would have it carried out twice. The row is gone,
 * but this is not.
 */
export interface ReplayCache {
  add(organizationId: string, fingerprint: string, nowMs: number): void;
  has(organizationId: string, fingerprint: string): boolean;
}

export function createReplayCache(): ReplayCache {
  let generations = [createGeneration(0)];
  return {
    add(organizationId, fingerprint, nowMs) {
      let [newest] = generations as [Generation];
      if (newest.count >= MAX_ENTRIES || nowMs - newest.startedAtMs >= GENERATION_MS) {
        newest = createGeneration(nowMs);
        generations = [newest, ...generations.slice(0, GENERATIONS - 1)];
      }
      newest.add(wordsOf(organizationId, fingerprint));
    },
    has(organizationId, fingerprint) {
      const words = wordsOf(organizationId, fingerprint);
      return generations.some((generation) => generation.has(words));
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
 * A set of 128-bit numbers in one array, by open addressing. Fingerprints are SHA-256 hashes, so their own bits say where to look; no
 * entry is all zeros.
 */
function createGeneration(startedAtMs: number): Generation {
  let slots = FIRST_SLOTS;
  let table = new Uint32Array(slots * WORDS);
  let count = 0;

  /** Where an entry is, or where it would go. */
  function find(words: Uint32Array): number {
    for (let slot = (words[0] as number) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * WORDS;
      if (isFree(table, at) || same(table, at, words)) return at;
    }
  }

  function grow(): void {
    const before = table;
    slots *= 2;
    table = new Uint32Array(slots * WORDS);
    for (let at = 0; at < before.length; at += WORDS) {
      const words = before.subarray(at, at + WORDS);
      if (!isFree(before, at)) table.set(words, find(words));
    }
  }

  return {
    startedAtMs,
    get count() {
      return count;
    },
    add(words) {
      // At most two thirds full, so that a search is short.
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

/** Where a fingerprint stands while it is looked for. One for the process: nobody keeps it. */
const scratch = new Uint32Array(WORDS);

/** The first bits of `sha256:<hex>`, each turned by those of the organization's id, which is a UUID. */
function wordsOf(organizationId: string, fingerprint: string): Uint32Array {
  const start = 'sha256:'.length;
  for (let index = 0; index < WORDS; index++) scratch[index] = bitsAt(fingerprint, start + index * 8, 8);
  // 8-4-4-4-12
  turn(0, bitsAt(organizationId, 0, 8));
  turn(1, (bitsAt(organizationId, 9, 4) << 16) | bitsAt(organizationId, 14, 4));
  turn(2, (bitsAt(organizationId, 19, 4) << 16) | bitsAt(organizationId, 24, 4));
  turn(3, bitsAt(organizationId, 28, 8));
  return scratch;
}

function turn(index: number, by: number): void {
  scratch[index] = (scratch[index] as number) ^ by;
}

/** So many hexadecimal digits as bits. Each request asks for dozens, and `parseInt` takes a text of its own for each. */
function bitsAt(text: string, at: number, digits: number): number {
  let bits = 0;
  for (let index = at; index < at + digits; index++) {
    const code = text.charCodeAt(index);
    // 0 to 9 end with their value, and letters, of either case, with 1 to 6.
    bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
  }
  return bits;
}
