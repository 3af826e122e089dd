import type { Store } from '../../../src/store/store.ts';

/** An empty database that a suite may fill. */
export interface Installation {
  /** Opens a store on it; several may be open at once, as those of several processes are. */
  open(): Promise<Store>;
  /** Runs SQL past the store, as a bug or an intruder would. */
  execute(sql: string): Promise<void>;
  remove(): Promise<void>;
}
