import { createSlices, type EndSlice } from './cooperative.ts';
import { RoundRobin } from './round-robin.ts';

/** Long answers that are made at the same time. */
const MOST = 4;
/** From so many characters that were read or written for it, an answer is long. */
const LONG = 262_144;

/** An answer that may become long. */
export interface LongAnswer {
  /** Called between the steps of the work, as with other long work, with what each step has read or written. */
  readonly endSlice: EndSlice;
  /** Called before anything is read whose size nobody knows: from then on the answer counts as long. */
  takePlace(): Promise<void> | undefined;
  /** Call when the work is over, however it ended. */
  end(): void;
}

/**
 * Answers that are made in slices.
 * SECURITY: D250: each holds what it has read and written so far, so that of those that hold much a few go on at a time, whoever has
 * hundreds of connections. Organizations take turns. A short answer waits for nobody.
 */
export interface LongAnswers {
  /** `goOn` is done before an answer that had to wait goes on. */
  begin(owner: string, goOn?: () => Promise<void>): LongAnswer;
}

export function createLongAnswers(most = MOST): LongAnswers {
  const waiting = new RoundRobin<() => void>();
  let running = 0;

  function enter(owner: string, goOn: () => Promise<void>): Promise<void> | undefined {
    if (running >= most) return new Promise<void>((resolve) => waiting.add(owner, resolve)).then(goOn);
    running += 1;
    return undefined;
  }

  function leave(): void {
    const next = waiting.take();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    begin(owner, goOn = async () => {}) {
      const endSlice = createSlices(owner);
      let isLong = false;
      let held = 0;
      function takePlace(): Promise<void> | undefined {
        if (isLong) return undefined;
        isLong = true;
        return enter(owner, goOn);
      }
      return {
        takePlace,
        endSlice(characters = 0) {
          held += characters;
          const pause = endSlice();
          if (isLong || held < LONG) return pause;
          return pause === undefined ? takePlace() : pause.then(takePlace);
        },
        end() {
          if (isLong) leave();
        },
      };
    },
  };
}
