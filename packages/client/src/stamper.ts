/** The header that proves who sent a body. */
export interface Stamp {
  readonly stampHeaderName: string;
  readonly stampHeaderValue: string;
}

/**
 * Anything that can stamp a body: an API key, a passkey, a hardware key.
 * The stamp covers the exact bytes of the body. `@turnkey/*` stampers have the same interface, so they work too.
 */
export interface Stamper {
  stamp(body: string): Promise<Stamp>;
}
