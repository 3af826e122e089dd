import type { z } from 'zod';
import { isSecret } from '../secrets.ts';
import { type PolicyMark, policyMarks } from './marks.ts';
import type { ViewType, ViewValue } from './view-type.ts';

/** What the host knows about spelling and the contract does not. */
export interface Spelling {
  /** The uncompressed lower-case form of a P-256 public key; undefined for a text that is not one. */
  p256(hex: string): string | undefined;
  /** The one form of an address. A text that is not an address stays as it is. */
  address(text: string): string;
}

/** How policies see the values of one schema. */
export interface View {
  readonly type: ViewType;
  /** The value as policies see it. Undefined when it has no such form: a policy that names it is then in error. */
  readonly read: (value: unknown, spelling: Spelling) => ViewValue | undefined;
  /** What policies see where the request leaves the value out. Undefined: a policy that names it is in error. */
  readonly absent: ViewValue | undefined;
  /** The members of a record, or of the records in a list. */
  readonly members?: readonly ViewField[];
}

/** A member of a record, or a parameter. */
export interface ViewField extends View {
  /** Its name on the wire. */
  readonly wire: string;
  /** Its name in policies. */
  readonly name: string;
  readonly doc: string;
  readonly optional: boolean;
  /** What the executor takes where the request leaves it out, in words. */
  readonly resolved?: string;
}

/** The metadata of the wrappers around a schema, and the schema inside. */
export interface Unwrapped {
  readonly inner: z.core.$ZodType;
  readonly optional: boolean;
  readonly secret: boolean;
  readonly doc: string;
  readonly default?: unknown;
  readonly mark: PolicyMark;
}

interface Meta {
  readonly description?: string;
  readonly default?: unknown;
}

/** Takes off `.optional()`, `.nullable()`, `.default()` and the like. SECURITY: a secret in any layer is a secret. */
export function unwrap(schema: z.core.$ZodType): Unwrapped {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypeDef & { readonly innerType?: z.core.$ZodType } };
  const meta = ((schema as z.ZodType).meta?.() ?? {}) as Meta;
  const mark = policyMarks.get(schema as z.ZodType) ?? {};
  const below = def.innerType === undefined ? undefined : unwrap(def.innerType);
  const filled = (def.type === 'default' || def.type === 'prefault') && 'defaultValue' in def;
  const fallback = filled ? def.defaultValue : 'default' in meta ? meta.default : below?.default;
  return {
    inner: below?.inner ?? schema,
    optional: below?.optional === true || def.type === 'optional' || def.type === 'nullable' || filled,
    secret: isSecret(schema) || below?.secret === true,
    doc: meta.description ?? below?.doc ?? '',
    ...(fallback !== undefined && { default: fallback }),
    mark: { ...below?.mark, ...mark },
  };
}

/** `userId` as policies write it: `user_id`. */
export function snakeCase(wire: string): string {
  return wire.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
