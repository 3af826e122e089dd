import type { NamedAsset, TokenUnit } from '../builtins/units.ts';
import type { PolicyLimits } from '../limits.ts';
import { chains } from '../schema/chains.ts';
import type { ControlName } from '../schema/controls.ts';
import type { ActivityParameter } from '../schema/parameters.ts';
import { type AddressKind, addressKinds } from '../types.ts';
import type { LanguageVersion } from '../version.ts';

/** Returns the canonical form of a text. Undefined if the text is not valid, for example because of a wrong checksum. */
export type Normalizer = (text: string) => string | undefined;

/**
 * Returns every form that a value equal to the address can have. Undefined if the address is not valid. A Bitcoin address has one form per
 * network, and all of them pay the same script. The form nearest to the text comes last.
 */
export type AddressForms = (text: string) => string | readonly string[] | undefined;

/** Canonical forms by chain, and of public keys on P-256. */
export type Normalizers = Readonly<Partial<Record<AddressKind, AddressForms>>> & { readonly p256?: Normalizer };

/** Words against which literals are checked, by the name of the vocabulary, for example `activity.type`. */
export type Vocabularies = Readonly<Record<string, readonly string[]>>;

/** Host options of the language. */
export interface CheckOptions {
  readonly normalizers?: Normalizers;
  readonly vocabularies?: Vocabularies;
  /** Words of other services that no request has, and what to say about them instead of suggesting a similar word. */
  readonly absentWords?: ReadonlyMap<string, string>;
  /** The activity parameters, as `activity.params.<name>`. Pass the same list each time: scopes are memoized by reference. */
  readonly parameters?: readonly ActivityParameter[];
  /** The controls of the organization, as `controls.<name>`. Pass the same list each time. By default none. */
  readonly controls?: readonly ControlName[];
  /** Parameters that exist but that policies never see, for a specific diagnostic. */
  readonly secretParameters?: ReadonlySet<string>;
  /**
   * The token symbols in which amounts may be written: `25_000 USDC`.
   * SECURITY: they ship with the service. If users could change them, they could change the meaning of stored policies.
   */
  readonly units?: ReadonlyMap<string, TokenUnit>;
  /** The assets that policies may name: `p.asset == USDC`. SECURITY: shipped entries only, as for `units`. */
  readonly assets?: ReadonlyMap<string, NamedAsset>;
  readonly limits?: PolicyLimits;
  /**
   * Whether a text is an address on any chain. If given, other texts cannot be compared with an address.
   * SECURITY: D399: such a comparison is never true. In a DENY, and in the list of an ALLOW, that looks like protection.
   */
  readonly isAddress?: (text: string) => boolean;
  /** Addresses that the author may have meant, for help texts. */
  readonly contacts?: () => Iterable<string>;
  /** The version of the language. By default the newest. A policy with a version overrides it. */
  readonly language?: LanguageVersion;
}

/**
 * The options for an expression that was checked when it was stored.
 * - Words are not checked again: an expression that names a retired word keeps its meaning.
 * - A text that is not an address is kept in a comparison with an address of any chain. It equals no value.
 * - An invalid address is kept unchanged, and so equals no value, if an earlier release stored invalid addresses of its chain.
 */
export function forStored({ vocabularies: _, isAddress: __, contacts: ___, ...options }: CheckOptions): CheckOptions {
  const normalizers: { -readonly [K in keyof Normalizers]: Normalizers[K] } = { ...options.normalizers };
  for (const kind of addressKinds) {
    const toForms = normalizers[kind];
    if (toForms === undefined || chains[kind].address.acceptStoredInvalid !== true) continue;
    normalizers[kind] = (text) => toForms(text) ?? [text];
  }
  return { ...options, normalizers };
}
