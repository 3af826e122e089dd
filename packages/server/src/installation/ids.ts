import { randomFillSync } from 'node:crypto';
import { shardIn, withShard } from '@countersign/contract';
import { V7Generator } from 'uuidv7';

/** Random words per system call: one call per word costs more than the rest of an id. */
const WORDS = 1_024;

/** UUIDs of version 7 by the installation's clock. INVARIANT: each is above all earlier ones of this process, and of processes before it. */
export function createIds({ nowMs }: { nowMs(): number }): () => string {
  const words = new Uint32Array(WORDS);
  let used = WORDS;
  const nextUint32 = (): number => {
    if (used === WORDS) {
      randomFillSync(words);
      used = 0;
    }
    return words[used++] as number;
  };
  const generator = new V7Generator({ nextUint32 });
  return () => generator.generateOrResetWithTs(nowMs()).toString();
}

/** Ids of organizations, which name the shard that creates them. INVARIANT: an id of shard 0 names no shard. */
export function createOrganizationIds(newId: () => string, shard: number): () => string {
  if (shard > 0) return () => withShard(newId(), shard);
  return () => {
    for (;;) {
      const id = newId();
      if (shardIn(id) === undefined) return id;
    }
  };
}
