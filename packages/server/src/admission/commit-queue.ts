/** The flow and the size of an item. */
export interface QueuedItem {
  readonly flow: string;
  readonly characters: number;
}

/** A queue that forms batches. */
export interface CommitQueue<T> {
  push(item: T): void;
  size(): number;
  /** The next batch. Empty only if the queue is. */
  takeBatch(): T[];
}

const MAX_BATCH = 256;
/** Enough for 256 items of usual size. Large items form smaller batches. */
const MAX_BATCH_CHARACTERS = 8_388_608;
/** Share of one flow in a batch with other flows. Its first item may be larger. */
const MAX_FLOW_CHARACTERS = 1_048_576;

interface Flow<T> {
  readonly items: { readonly item: T; readonly characters: number }[];
}

/**
 * Round robin: one item of each flow, then the next of each, until the batch is full. The next batch starts with the following flow.
 * INVARIANT: the items of a flow keep their order.
 */
export function createCommitQueue<T>(locate: (item: T) => QueuedItem): CommitQueue<T> {
  const flows = new Map<string, Flow<T>>();
  let size = 0;
  return {
    push(item) {
      const { flow: name, characters } = locate(item);
      const flow = flows.get(name) ?? { items: [] };
      flows.set(name, flow);
      flow.items.push({ item, characters });
      size += 1;
    },

    size: () => size,

    takeBatch() {
      const batch: T[] = [];
      const charactersBy = new Map<string, number>();
      const isOnlyFlow = flows.size === 1;
      let characters = 0;
      const fits = (name: string, more: number) => {
        const taken = charactersBy.get(name);
        if (batch.length > 0 && characters + more > MAX_BATCH_CHARACTERS) return false;
        return isOnlyFlow || taken === undefined || taken + more <= MAX_FLOW_CHARACTERS;
      };
      // The map is in order of turns.
      for (let progress = true; progress && batch.length < MAX_BATCH; ) {
        progress = false;
        for (const [name, flow] of [...flows]) {
          if (batch.length === MAX_BATCH) break;
          const head = flow.items[0];
          if (head === undefined || !fits(name, head.characters)) continue;
          flow.items.shift();
          batch.push(head.item);
          charactersBy.set(name, (charactersBy.get(name) ?? 0) + head.characters);
          characters += head.characters;
          progress = true;
          flows.delete(name);
          if (flow.items.length > 0) flows.set(name, flow);
        }
      }
      size -= batch.length;
      return batch;
    },
  };
}
