/** The header that proves who sent a body. */
export interface Stamp {
  readonly stampHeaderName: string;
  readonly stampHeaderValue: string;
}

/**
 * Anything that can stamp a body: an API key, a passkey, a hardware key.
 * The stamp covers the body exactly as sent. `@turnkey/*` stampers have the same shape, so they fit too.
 */
export interface Stamper {
  stamp(body: string): Promise<Stamp>;
}
