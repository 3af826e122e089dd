/** The header that proves who sent a body. */
export interface Stamp {
  readonly stampHeaderName: string;
  readonly stampHeaderValue: string;
}

/**
 * Whatever can vouch for a body: an API key, a passkey, a key in hardware.
 * The stamp is made over the body exactly as it is sent. The shape is the one that `@turnkey/*` stampers have, so those fit too.
 */
export interface Stamper {
  stamp(body: string): Promise<Stamp>;
}
