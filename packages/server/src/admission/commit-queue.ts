/** Where an item belongs, and how large it is. */
export interface Placed {
  readonly flow: string;
  readonly characters: number;
}

/** Items that wait for the next batch. */
export interface CommitQueue<T> {
  push(item: T): void;
  size(): number;
  /** The next batch: at least one item where there is one. */
  takeBatch(): T[];
}

const MAX_BATCH = 256;
/** Enough for any batch of usual items. Large ones go in smaller batches, so that nobody waits for too many of them. */
const MAX_BATCH_CHARACTERS = 8_388_608;
/** What one flow may bring to a batch beside others. Its first item may be larger. */
const MAX_FLOW_CHARACTERS = 1_048_576;

interface Flow<T> {
  readonly items: { readonly item: T; readonly characters: number }[];
}

/**
 * Forms batches in turns: one item of each flow, then the next of each, until the batch is full. The flow after the last one begins the
 * next batch.
 * INVARIANT: the items of a flow keep their order.
 */
export function createCommitQueue<T>(place: (item: T) => Placed): CommitQueue<T> {
  const flows = new Map<string, Flow<T>>();
  let size = 0;
  return {
    push(item) {
      const { flow: name, characters } = place(item);
      const flow = flows.get(name) ?? { items: [] };
      flows.set(name, flow);
      flow.items.push({ item, characters });
      size += 1;
    },

    size: () => size,

    takeBatch() {
      const batch: T[] = [];
      const broughtBy = new Map<string, number>();
      const isAlone = flows.size === 1;
      let characters = 0;
      const fits = (name: string, more: number) => {
        const brought = broughtBy.get(name);
        if (batch.length > 0 && characters + more > MAX_BATCH_CHARACTERS) return false;
        return isAlone || brought === undefined || brought + more <= MAX_FLOW_CHARACTERS;
      };
      // The map keeps the order of turns: whoever had one goes to the end.
      for (let progress = true; progress && batch.length < MAX_BATCH; ) {
        progress = false;
        for (const [name, flow] of [...flows]) {
          if (batch.length === MAX_BATCH) break;
          const head = flow.items[0];
          if (head === undefined || !fits(name, head.characters)) continue;
          flow.items.shift();
          batch.push(head.item);
          broughtBy.set(name, (broughtBy.get(name) ?? 0) + head.characters);
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
