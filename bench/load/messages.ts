import type { SigningTarget } from '../signing-request.ts';
import type { ApiKey } from '../stamper.ts';

/** Where load goes and what it signs with. */
export interface LoadTarget extends SigningTarget, ApiKey {
  readonly host: string;
  readonly port: number;
  /** The compressed public key that signatures are checked against. */
  readonly signingPublicKeyHex: string;
}

/** What the benchmark tells the load process: first to stamp requests and connect, then to send them. */
export type ToLoad =
  | { readonly kind: 'prepare'; readonly target: LoadTarget; readonly connections: number; readonly requests: number }
  | { readonly kind: 'start'; readonly seconds: number };

/** What the load process answers: one message to each that it was told. */
export type FromLoad =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'done'; readonly window: LoadWindow }
  | { readonly kind: 'failed'; readonly message: string };

/** What the load process saw of one measured window. */
export interface LoadWindow {
  /** Requests that were answered as they should be; any other answer fails the window. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the load process itself. */
  readonly loadCpuMicros: number;
  /** Signatures that were checked after the window. */
  readonly verified: number;
}
