import type { Store } from '../../../src/store/store.ts';

/** An empty database that a suite may fill. */
export interface Installation {
  /** Opens a store on it. Several may be open at once, like those of several processes. */
  open(): Promise<Store>;
  /** Runs SQL without the store, as a bug or an intruder would. */
  execute(sql: string): Promise<void>;
  /** Bytes as this engine writes them in SQL. */
  hex(digits: string): string;
  remove(): Promise<void>;
}
