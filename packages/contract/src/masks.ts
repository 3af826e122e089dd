import { z } from 'zod';

/** How responses show a value that must not be read back. Returns the same value if it has nothing to hide. */
export interface MaskMark {
  readonly mask: (value: unknown) => unknown;
}

/**
 * Marks for values that are written once and shown only in part. Unlike a `secret`, policies see the value and audit files contain it, so
 * that decisions can be verified.
 */
export const maskMarks = z.registry<MaskMark>();

/** The path of a masked URL. */
const MASK = '/***';

/** Scheme, authority without user, and the rest of a URL. */
const PARTS = /^(https?:\/\/)(?:[^/?#\\@]*@)?([A-Za-z0-9.:[\]-]+)(?=[/?#]|$)(.*)$/is;

/**
 * A URL without its user, path, query and fragment, which contain the tokens of webhook receivers. A URL without these is unchanged, and
 * a text in any other form is empty.
 */
export function maskUrl(text: string): string {
  const [, scheme = '', host = '', rest = ''] = PARTS.exec(text) ?? [];
  const origin = `${scheme}${host}`;
  return origin === text || (rest === '/' && `${origin}/` === text) ? text : origin && `${origin}${MASK}`;
}

/** Whether a text is a URL as `maskUrl` shows it. */
export function isMaskedUrl(text: string): boolean {
  return text.endsWith(MASK) && maskUrl(text) === text;
}

/** Masks every URL in a text for people, such as an explanation. */
export function maskUrlsIn(text: string): string {
  return text.replace(/\bhttps?:\/\/[^\s"'`\\]+/gi, maskUrl);
}

/** Marks a URL whose path or query can contain a token. */
export function tokenUrl<S extends z.ZodType>(schema: S): S {
  return withMask(schema, (value) => (typeof value === 'string' ? maskUrl(value) : ''));
}

/** The part of an email address or phone number that people recognize as theirs: `a…@example.com`, `+1…00`. */
export function maskContact(contact: string): string {
  const at = contact.lastIndexOf('@');
  return at < 0 ? `${contact.slice(0, 2)}…${contact.slice(-2)}` : `${contact.slice(0, 1)}…${contact.slice(at)}`;
}

/** Marks an email address or phone number that the specification does not name. */
export function partlyShownContact<S extends z.ZodType>(schema: S): S {
  return withMask(schema, (value) => (typeof value === 'string' ? maskContact(value) : ''));
}

/** The feature whose value is the URL of a webhook receiver. */
const WEBHOOK_FEATURE = 'FEATURE_NAME_WEBHOOK';

/** Masks the value of a feature that is a URL. */
export function maskFeature<F extends { readonly name?: unknown; readonly value?: unknown }>(feature: F): F {
  const { name, value } = feature;
  if (name !== WEBHOOK_FEATURE || typeof value !== 'string') return feature;
  const masked = maskUrl(value);
  return masked === value ? feature : { ...feature, value: masked };
}

/** Marks an object with the name and the value of a feature. */
export function featureValue<S extends z.ZodType>(schema: S): S {
  return withMask(schema, (value) => (typeof value === 'object' && value !== null ? maskFeature(value) : value));
}

function withMask<S extends z.ZodType>(schema: S, mask: MaskMark['mask']): S {
  maskMarks.add(schema as z.ZodType, { mask });
  return schema;
}
