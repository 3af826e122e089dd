/** So many pieces of work are done before the event loop gets its turn: to read, to write, to commit and to take connections. */
const SLICE = 64;
/** For so long turns may go to new connections alone, which is enough for a hundred of them. */
const ARRIVALS_MS = 10;

/** Works on what is ready in the order in which it came. */
export interface PlainQueue {
  add(work: () => void): void;
  /** A connection arrived in this turn of the event loop. */
  noteArrival(): void;
  /** Works on what is ready now, unless the turn is left to connections. */
  hurry(): void;
}

/**
 * The event loop takes one connection in each of its turns. If every turn also answered all who are connected already, a hundred clients
 * that come at once would wait for each other for seconds. So a turn that brought a connection is left to the next one.
 * SECURITY: D244: for a few milliseconds only. Who connects again and again, each time with a request that is refused, would otherwise
 * have turns of a millisecond each, and everybody who is connected would wait for hundreds of them.
 */
export function createPlainQueue(
  schedule: (turn: () => void) => void = setImmediate,
  nowMs: () => number = () => performance.now(),
): PlainQueue {
  let ready: (() => void)[] = [];
  let isScheduled = false;
  let arrived = false;
  /** When the work that is ready began to wait. */
  let readySinceMs = 0;

  const mayWait = () => arrived && nowMs() - readySinceMs < ARRIVALS_MS;

  function nextSlice(): readonly (() => void)[] {
    const slice = ready.slice(0, SLICE);
    ready = ready.slice(SLICE);
    readySinceMs = nowMs();
    return slice;
  }

  function turn(): void {
    const isLeft = mayWait();
    arrived = false;
    if (isLeft) {
      schedule(turn);
      return;
    }
    const slice = nextSlice();
    isScheduled = ready.length > 0;
    if (isScheduled) schedule(turn);
    for (const work of slice) work();
  }

  return {
    add(work) {
      ready.push(work);
      if (isScheduled) return;
      isScheduled = true;
      readySinceMs = nowMs();
      schedule(turn);
    },
    noteArrival() {
      arrived = true;
    },
    hurry() {
      if (ready.length > 0 && !mayWait()) for (const work of nextSlice()) work();
    },
  };
}
