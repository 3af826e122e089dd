import type { ChainId } from '@countersign/contract';
import type { Touch } from '../subject.ts';

/** What a hostile request does, in words. `{to}` stands for the receiver. */
export interface Harm {
  readonly id: string;
  readonly harm: string;
  /** Harms that need no mention next to this one. */
  readonly covers?: readonly string[];
}

/** A request that a careful policy does not allow. Its texts contain placeholders; see conformance/policies/README.md. */
export interface HostileRequest {
  readonly id: string;
  /** The id of its harm. */
  readonly harm: string;
  readonly chain: ChainId | 'any';
  /** The activity type, with its version. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The service refuses to read it, so that no policy can allow it. */
  readonly refused?: true;
  /** The kind of thing that an activity is about, if it is not a signature. */
  readonly subject?: 'wallet' | 'wallets' | 'account' | 'secrets';
  readonly touches?: readonly Touch[];
  /** Parameters as the service fills them in. */
  readonly resolved?: Readonly<Record<string, unknown>>;
}
