import type { Config } from '../config/settings.ts';
import type { MetricsSnapshot } from '../metrics/metrics.ts';

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly config: Config }
  /** Comes with the socket of a connection, which is the worker's from then on. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Asks for the worker's own numbers. */
  | { readonly kind: 'count'; readonly id: number }
  /** The numbers of all workers, which this one asked for. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }
  /** It is this worker's turn to write, as it asked. */
  | { readonly kind: 'turn' }
  | { readonly kind: 'stop' };

/** What a worker tells the primary process. */
export type FromWorker =
  /** It listens to messages from now on: one that came before would be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly code?: string; readonly message: string; readonly fix?: string }
  /** It has the connection that was handed to it under this id. */
  | { readonly kind: 'took'; readonly id: number }
  /** Asks for a turn to write, and gives it back. */
  | { readonly kind: 'askTurn' }
  | { readonly kind: 'endTurn' }
  /** Asks for the numbers of all workers. */
  | { readonly kind: 'metrics'; readonly id: number }
  | { readonly kind: 'counted'; readonly id: number; readonly snapshot: MetricsSnapshot };
