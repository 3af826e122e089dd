import type { Config } from '../../config/settings.ts';
import type { MetricsSnapshot } from '../../statistics/metrics.ts';
import type { HandedKey } from '../../vault/root-key/providers/shares/custody.ts';

/** Messages from the primary process to a worker. */
export type ToWorker =
  /** With the root keys that are in shares, if there are any. */
  | { readonly kind: 'start'; readonly config: Config; readonly rootKeys: readonly HandedKey[] }
  /** Comes with the socket of a connection. The worker owns the socket from then on. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Comes with the pipe to the edge process of this worker. */
  | { readonly kind: 'edge' }
  /** Asks for this worker's own metrics. */
  | { readonly kind: 'count'; readonly id: number }
  /** Asks for a `pong`, to see whether the worker responds. */
  | { readonly kind: 'ping' }
  /** The metrics of all workers, which this worker asked for. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }
  /** Applies changed settings. */
  | { readonly kind: 'reload'; readonly config: Config }
  | { readonly kind: 'stop' };

/** Messages from a worker to the primary process. */
export type FromWorker =
  /** The worker now listens to messages. Messages sent before would be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'failed'; readonly code?: string; readonly message: string; readonly fix?: string }
  /** The worker has received the connection with this id. */
  | { readonly kind: 'accepted'; readonly id: number }
  /** The worker has the pipe to its edge. */
  | { readonly kind: 'attached' }
  /** Asks for the metrics of all workers. */
  | { readonly kind: 'metrics'; readonly id: number }
  | { readonly kind: 'counted'; readonly id: number; readonly snapshot: MetricsSnapshot };

/** What a process says when it cannot start. */
export function failedMessage(error: unknown): FromWorker & { readonly kind: 'failed' } {
  const { code, message, fix } = error as NodeJS.ErrnoException & { readonly fix?: string };
  return { kind: 'failed', message, ...(code !== undefined && { code }), ...(fix !== undefined && { fix }) };
}
