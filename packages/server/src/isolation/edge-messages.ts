import type { UsedTls } from '../http/transport/tls.ts';
import type { EdgeSettings } from './edge-settings.ts';

/** Messages from the primary process to an edge. The edge answers with some of those of a worker. */
export type ToEdge =
  | { readonly kind: 'start'; readonly settings: EdgeSettings }
  /** Comes with the socket of a connection. The edge owns the socket from then on. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Asks for a `pong`, to see whether the edge responds. */
  | { readonly kind: 'ping' }
  /** New connections use these certificates. */
  | { readonly kind: 'reload'; readonly tls: UsedTls }
  /** For workers. An edge is stopped by its core. */
  | { readonly kind: 'stop' };
