import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Json } from '../caller.ts';
import { ethereumPath, uniqueName } from '../world.ts';

/** How far to enlarge a request. */
export interface Extent {
  /** Items in each list, if the contract allows more. */
  readonly items: number;
  /** Characters in each free text, if the contract allows more. */
  readonly text: number;
}

interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string; readonly maximum?: number } } }[];
}

const defOf = (schema: z.ZodType) => (schema as unknown as { readonly _zod: { readonly def: Def } })._zod.def;

/** Fields whose text means nothing to the service. */
const FREE_TEXT = /(name|notes|label|reason)$/i;
const NESTED = 10;
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Enlarges valid parameters along their schema: lists get further items, each of them new, and free texts get longer, up to the maxima of
 * the contract. Ids stay as they are, and new items name objects that do not exist.
 */
export function enlarge(schema: z.ZodType, value: Json, extent: Extent, field = ''): Json {
  const def = defOf(schema);
  if (def.innerType !== undefined) return enlarge(def.innerType, value, extent, field);
  if (def.type === 'union') {
    const option = def.options?.find((each) => each.safeParse(value).success);
    return option === undefined ? value : enlarge(option, value, extent, field);
  }
  if (def.type === 'string' && typeof value === 'string') return enlargeText(schema, value, extent, field);
  if (def.type === 'array' && Array.isArray(value) && def.element !== undefined) {
    const { element } = def;
    // The default of most limits for lists within lists, such as the credentials of a user.
    const within = { ...extent, items: Math.min(extent.items, NESTED) };
    const most = Math.max(value.length, Math.min(extent.items, maximumOf(def)));
    return Array.from({ length: value.length === 0 ? 0 : most }, (_, at) => {
      const item = value[at % value.length];
      return enlarge(element, at < value.length ? item : renew(item, at), within, field);
    });
  }
  if (def.type !== 'object' || typeof value !== 'object' || value === null) return value;
  const members = Object.entries(def.shape ?? {}).flatMap(([name, member]) => {
    if (name in value) return [[name, enlarge(member, value[name], extent, name)]];
    return name === 'notes' ? [[name, enlarge(member, 'x', extent, name)]] : [];
  });
  return { ...value, ...Object.fromEntries(members) };
}

function enlargeText(schema: z.ZodType, value: string, { text }: Extent, field: string): string {
  if (!FREE_TEXT.test(field)) return value;
  const most = Math.min(text, maximumOf(defOf(schema)));
  const longer = Number.isFinite(most) ? value.padEnd(most, ' and so on').trimEnd().padEnd(most, '.') : value;
  return schema.safeParse(longer).success ? longer : value;
}

function maximumOf({ checks = [] }: Def): number {
  return Math.min(
    Infinity,
    ...checks.map(({ _zod: { def } }) => (def.check === 'max_length' ? (def.maximum ?? Infinity) : Infinity)),
  );
}

/** Faster than creating a whole key. */
const newPublicKey = () => createECDH('prime256v1').generateKeys('hex', 'compressed');

/** A copy of an item with a new name, key, address and path, so that both can be in one request. */
function renew(value: Json, at: number): Json {
  if (Array.isArray(value)) return value.map((item) => renew(item, at));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renew(inner, at)]));
  if (typeof value !== 'string') return value;
  if (UUID.test(value)) return randomUUID();
  if (/^0[23][0-9a-f]{64}$/.test(value)) return newPublicKey();
  if (value.startsWith("m/44'/")) return ethereumPath(at);
  const address = value.replace(/0x[0-9a-f]{40}$/, () => `0x${randomBytes(20).toString('hex')}`);
  return address.replace(/^([A-Z][A-Za-z ]*) \d+$/, (_, what: string) => uniqueName(what));
}
