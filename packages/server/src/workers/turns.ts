/** A worker that waits for its turn. */
export interface Waiting {
  tell(message: { readonly kind: 'turn' }): void;
}

/** Gives turns to processes that write to the same file, in the order in which they asked. */
export interface Turns<W extends Waiting> {
  ask(worker: W): void;
  /** The worker has finished its turn. Ignored for a worker that has no turn. */
  end(worker: W): void;
  /** The worker has ended, so its turn and its request are void. */
  forget(worker: W): void;
}

/** After this time the next turn begins, even if the current one has not ended. */
const LONGEST_TURN_MS = 1_000;

/**
 * Turns are about fairness, they are not a lock: the database has its own lock, and correctness depends only on that one.
 * Without turns, the process that has just written would usually write again, and the requests of the others would wait long.
 */
export function createTurns<W extends Waiting>(): Turns<W> {
  const waiting = new Set<W>();
  let holder: W | undefined;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    clearTimeout(timer);
    [holder] = waiting;
    if (holder === undefined) return;
    waiting.delete(holder);
    timer = setTimeout(next, LONGEST_TURN_MS).unref();
    holder.tell({ kind: 'turn' });
  }

  return {
    ask(worker) {
      waiting.add(worker);
      if (holder === undefined) next();
    },
    end(worker) {
      if (holder === worker) next();
    },
    forget(worker) {
      waiting.delete(worker);
      if (holder === worker) next();
    },
  };
}
