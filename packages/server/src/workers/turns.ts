/** Whoever can be told that it is its turn. */
export interface Waiting {
  tell(message: { readonly kind: 'turn' }): void;
}

/** Gives processes that write to the same file their turns, in the order in which they asked. */
export interface Turns<W extends Waiting> {
  ask(worker: W): void;
  /** The worker is done with its turn. One that has none is not heard. */
  end(worker: W): void;
  /** The worker is gone, and with it whatever it asked for. */
  forget(worker: W): void;
}

/** How long a turn is waited for; then the next one begins all the same. */
const LONGEST_TURN_MS = 1_000;

/**
 * Turns are good manners, not a lock: the database has its own, which everything rests on. Without them the process that has just
 * written is the likeliest to write again, and the others' requests wait for long.
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
