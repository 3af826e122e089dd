/** Requests to send, as complete HTTP messages. Sending starts with a separate message, because receiving these takes time. */
export interface Shooting {
  readonly kind: 'load';
  readonly host: string;
  readonly port: number;
  /** The addresses that connections come from, in turn: on loopback, every number below 127 is one. */
  readonly from: readonly string[];
  readonly requests: readonly Uint8Array[];
  /** Requests in a second, sent whether or not earlier ones are answered. Absent: each connection sends the next after its answer. */
  readonly perSecond?: number;
  readonly connections: number;
  readonly seconds: number;
  /** The requests may be sent again and again, because each is refused, or costs the same each time. */
  readonly repeat?: boolean;
}

/** Results of the requests. */
export interface Shot {
  readonly kind: 'shot';
  /** Answers by HTTP status; 0 for connections that ended without one. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Times of answers with status 200, from when the request was due, in milliseconds. */
  readonly okMs: readonly number[];
  readonly seconds: number;
}

export type ToShooter = Shooting | { readonly kind: 'shoot'; readonly seconds: number };

export type FromShooter = Shot | { readonly kind: 'loaded' } | { readonly kind: 'failed'; readonly message: string };
