import type { Client, StampedRequest } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';

type Answer<Name extends keyof Client> = Client[Name] extends (...given: never[]) => Promise<infer A> ? A : never;

/** What the organization calls things. It comes from the service, so it names things and never decides anything. */
export interface Knowledge {
  readonly contacts: readonly Answer<'listContacts'>['contacts'][number][];
  readonly tokens: Answer<'listTokens'>['tokens'];
  readonly interfaces: Answer<'listSmartContractInterfaces'>['smartContractInterfaces'];
}

/** The key that is to sign, without any secret. */
export interface Signer {
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly publicKey: string;
  readonly addressFormat?: string | undefined;
}

/** What this browser read in the stamped bytes. */
export interface Reading {
  readonly sentence: string;
  readonly effects: readonly EffectShape[];
  readonly fullyParsed: boolean;
  readonly unparsed: readonly string[];
  /** Whether the service shows the same effects. */
  readonly agrees: boolean;
}

/**
 * How far the browser can vouch for an activity.
 * `mismatch`: what is shown is not what was stamped. `hidden`: the message is not shown. `read`: a signature, read here.
 * `plain`: the parameters are all there is to read. `unread`: a signature that this browser cannot read.
 */
export type Check =
  | { readonly state: 'mismatch' | 'hidden' }
  | { readonly state: 'plain' | 'unread'; readonly request: StampedRequest }
  | { readonly state: 'read'; readonly request: StampedRequest; readonly reading: Reading };
