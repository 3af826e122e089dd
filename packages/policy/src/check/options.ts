import type { TokenUnit } from '../builtins/units.ts';
import type { PolicyLimits } from '../limits.ts';
import { chains } from '../schema/chains.ts';
import type { ControlName } from '../schema/controls.ts';
import type { ActivityParameter } from '../schema/parameters.ts';
import { type AddressKind, addressKinds } from '../types.ts';

/** Gives the canonical form of a text, or undefined when the text is not valid (a wrong checksum included). */
export type Normalizer = (text: string) => string | undefined;

/**
 * Gives every form that a value equal to the address can have, or undefined when the address is not valid. An address of Bitcoin has
 * one form for each network, and all of them pay the same script. The form nearest to the text comes last.
 */
export type AddressForms = (text: string) => string | readonly string[] | undefined;

/** Canonical forms by chain, and of public keys on P-256. */
export type Normalizers = Readonly<Partial<Record<AddressKind, AddressForms>>> & { readonly p256?: Normalizer };

/** Words that literals are checked against, by the name of the vocabulary, for example `activity.type`. */
export type Vocabularies = Readonly<Record<string, readonly string[]>>;

/** What the host brings to the language. */
export interface CheckOptions {
  readonly normalizers?: Normalizers;
  readonly vocabularies?: Vocabularies;
  /** The parameters of activities, as `activity.params.<name>`. Pass the same list each time: names are resolved once for each. */
  readonly parameters?: readonly ActivityParameter[];
  /** The controls of the organization, as `controls.<name>`. Pass the same list each time. None when absent. */
  readonly controls?: readonly ControlName[];
  /** Parameters that exist and that policies never see, so that a diagnostic can say so. */
  readonly secretParameters?: ReadonlySet<string>;
  /**
   * The symbols of tokens that amounts may be written in: `25_000 USDC`.
   * SECURITY: they ship with the service. If users could change them, they would change what stored policies mean.
   */
  readonly units?: ReadonlyMap<string, TokenUnit>;
  readonly limits?: PolicyLimits;
}

/**
 * The options for an expression that was checked when it was stored.
 * - Words are not checked again: an expression that names a retired word keeps its meaning.
 * - An invalid address of a chain whose invalid addresses an earlier release stored stands for itself, and so equals no value.
 */
export function forStored({ vocabularies: _, ...options }: CheckOptions): CheckOptions {
  const normalizers: { -readonly [K in keyof Normalizers]: Normalizers[K] } = { ...options.normalizers };
  for (const kind of addressKinds) {
    const toForms = normalizers[kind];
    if (toForms === undefined || chains[kind].address.acceptStoredInvalid !== true) continue;
    normalizers[kind] = (text) => toForms(text) ?? [text];
  }
  return { ...options, normalizers };
}
