import type { SigningTarget } from '../signing-request.ts';
import type { ApiKey } from '../stamper.ts';

/** The service under load, and the keys to use. */
export interface LoadTarget extends SigningTarget, ApiKey {
  readonly host: string;
  readonly port: number;
  /** The compressed public key for checking signatures. */
  readonly signingPublicKeyHex: string;
}

/** Messages to the load process: first stamp requests and connect, then send them. */
export type ToLoad =
  | { readonly kind: 'prepare'; readonly target: LoadTarget; readonly connections: number; readonly requests: number }
  | { readonly kind: 'start'; readonly seconds: number };

/** Answers of the load process, one to each message. */
export type FromLoad =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'done'; readonly window: LoadWindow }
  | { readonly kind: 'failed'; readonly message: string };

/** What the load process saw in one measured window. */
export interface LoadWindow {
  /** Requests with the expected response. Any other response fails the window. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the load process itself. */
  readonly loadCpuMicros: number;
  /** Signatures checked after the window. */
  readonly verified: number;
}
