/** So many pieces of work are done before the event loop gets its turn: to read, to write, to commit and to take connections. */
const SLICE = 64;
/** So many turns in a row may go to new connections alone. */
const MAX_TURNS_FOR_ARRIVALS = 256;

/** Works on what is ready in the order in which it came. */
export interface PlainQueue {
  add(work: () => void): void;
  /** A connection arrived in this turn of the event loop. */
  noteArrival(): void;
}

/**
 * The event loop takes one connection in each of its turns. If every turn also answered all who are connected already, a hundred clients
 * that come at once would wait for each other for seconds. So a turn that brought a connection is left to the next one, within bounds.
 */
export function createPlainQueue(schedule: (turn: () => void) => void = setImmediate): PlainQueue {
  let ready: (() => void)[] = [];
  let isScheduled = false;
  let arrived = false;
  let turnsForArrivals = 0;

  function turn(): void {
    if (arrived && turnsForArrivals < MAX_TURNS_FOR_ARRIVALS) {
      arrived = false;
      turnsForArrivals++;
      schedule(turn);
      return;
    }
    turnsForArrivals = 0;
    const slice = ready.slice(0, SLICE);
    ready = ready.slice(SLICE);
    isScheduled = ready.length > 0;
    if (isScheduled) schedule(turn);
    for (const work of slice) work();
  }

  return {
    add(work) {
      ready.push(work);
      if (isScheduled) return;
      isScheduled = true;
      schedule(turn);
    },
    noteArrival() {
      arrived = true;
    },
  };
}
