import { z } from 'zod';
import { contactMarks } from './contact-marks.ts';
import { maskMarks } from './masks.ts';

/** The mark in a schema's metadata. JSON Schema and OpenAPI show it as an extension keyword. */
export const secretMark = 'secret';

/**
 * Marks a value that a reader could use as a credential. Only the response to the request that carries the value shows it.
 * SECURITY: A mark in `params` empties the field in every other rendering of the activity, webhook events included. A mark in `result`
 * also keeps the field out of the database.
 */
export function secret<S extends z.ZodType>(schema: S): S {
  return schema.meta({ [secretMark]: true });
}

/** Whether a schema itself is marked. Marks of optional and nullable schemas may be on the schema inside. */
export function isSecret(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.[secretMark] === true;
}

/** Empties the secrets of a value. Returns the same value if it has no secrets. */
export type Redact = (value: unknown) => unknown;

/**
 * A redactor for values that fit one of the schemas; undefined if no schema has a secret. Making it walks the schemas, so make it
 * once.
 * SECURITY: Inside an object that has a secret, a field that no schema knows is emptied too.
 */
export function redactorOf(schemas: readonly z.core.$ZodType[]): Redact | undefined {
  return compile(merge(schemas.map(shapeOf)), false);
}

/** The same for responses, which also mask the values of `masks.ts`. */
export function responseRedactorOf(schemas: readonly z.core.$ZodType[]): Redact | undefined {
  return compile(merge(schemas.map(shapeOf)), true);
}

/** Whether values of a schema can contain a part that responses mask. */
export function hasMask(schema: z.core.$ZodType): boolean {
  return anyPart(shapeOf(schema), ({ mask }) => mask !== undefined);
}

/** Whether values of a schema can contain a contact or a URL with a token. */
export function hasContact(schema: z.core.$ZodType): boolean {
  return anyPart(shapeOf(schema), ({ contact, mask }) => contact === true || mask !== undefined);
}

/** Whether values of a schema can contain a secret, a contact or a part that responses mask. The database contains them encrypted. */
export function isConfidential(schema: z.core.$ZodType): boolean {
  return anyPart(shapeOf(schema), ({ secret: whole, contact, mask }) => whole || contact === true || mask !== undefined);
}

function anyPart(shape: Shape, test: (part: Shape) => boolean): boolean {
  const parts = [...shape.fields.values(), shape.items, shape.others];
  return test(shape) || parts.some((part) => part !== undefined && anyPart(part, test));
}

/** The names of the secret fields of an object. Throws where a secret is deeper: what stores results could not find it there. */
export function secretFields(schema: z.core.$ZodType): readonly string[] {
  const { secret: whole, fields, items, others } = shapeOf(schema);
  const names = [...fields].filter(([, field]) => field.secret).map(([name]) => name);
  const rest = [...fields.values(), items, others].filter((part) => part !== undefined && !part.secret);
  if (whole || rest.some((part) => part !== undefined && hasSecret(part, false))) {
    throw new Error('a secret of a result must be a field of its own at the top level');
  }
  return names;
}

/** Where secrets are in the values of a schema. */
interface Shape {
  /** The value as a whole is secret. */
  readonly secret: boolean;
  /** The value as a whole is a contact. */
  readonly contact?: true;
  /** Masks the value in responses. */
  readonly mask?: Redact;
  /** The value may be text, a number or the like. */
  readonly scalar: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
  /** The members of an array. */
  readonly items?: Shape;
  /** Fields without a name in the schema. */
  readonly others?: Shape;
}

const scalar: Shape = { secret: false, scalar: true, fields: new Map() };
const anything: Shape = { ...scalar, items: scalar, others: scalar };

function shapeOf(schema: z.core.$ZodType): Shape {
  const shape = unmarkedShapeOf(schema);
  const mark = maskMarks.get(schema as z.ZodType);
  const reached: Shape = contactMarks.get(schema as z.ZodType) !== undefined ? { ...shape, contact: true } : shape;
  const masked = mark === undefined ? reached : { ...reached, mask: mark.mask };
  return isSecret(schema) ? { ...masked, secret: true } : masked;
}

function unmarkedShapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const fields = new Map(Object.entries(def.shape).map(([name, field]) => [name, shapeOf(field)]));
      const others = def.catchall === undefined || isNever(def.catchall) ? {} : { others: shapeOf(def.catchall) };
      return { secret: false, scalar: false, fields, ...others };
    }
    case 'record':
      return { secret: false, scalar: false, fields: new Map(), others: shapeOf(def.valueType) };
    case 'array':
      return { secret: false, scalar: false, fields: new Map(), items: shapeOf(def.element) };
    case 'union':
      return merge(def.options.map(shapeOf));
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
      return shapeOf(def.innerType);
    case 'unknown':
      return anything;
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
      return scalar;
    default:
      // INVARIANT: A kind of schema that this function does not look into could hide a secret from it.
      throw new Error(`no rule finds secrets in a schema of the kind ${def.type}; add one before the contract uses it`);
  }
}

const isNever = (schema: z.core.$ZodType) => schema._zod.def.type === 'never';

/** The union of shapes. A field that is secret in one of them is secret. */
function merge(shapes: readonly Shape[]): Shape {
  const [first, ...rest] = shapes;
  return first === undefined ? scalar : rest.reduce(mergeTwo, first);
}

function mergeTwo(a: Shape, b: Shape): Shape {
  const names = new Set([...a.fields.keys(), ...b.fields.keys()]);
  const items = [a.items, b.items].filter((shape) => shape !== undefined);
  const others = [a.others, b.others].filter((shape) => shape !== undefined);
  const field = (name: string) => merge([a.fields.get(name), b.fields.get(name)].filter((shape) => shape !== undefined));
  return {
    secret: a.secret || b.secret,
    scalar: a.scalar || b.scalar,
    fields: new Map([...names].map((name) => [name, field(name)])),
    ...((a.contact ?? b.contact) && { contact: true }),
    ...((a.mask ?? b.mask) && { mask: (a.mask ?? b.mask) as Redact }),
    ...(items.length > 0 && { items: merge(items) }),
    ...(others.length > 0 && { others: merge(others) }),
  };
}

function hasSecret({ secret: whole, mask, fields, items, others }: Shape, masks: boolean): boolean {
  if (whole || (masks && mask !== undefined)) return true;
  return [...fields.values(), items, others].some((part) => part !== undefined && hasSecret(part, masks));
}

const hidden = '';
const hide: Redact = () => hidden;
const show: Redact = (value) => value;

function compile(shape: Shape, masks: boolean): Redact | undefined {
  if (shape.secret) return hide;
  if (masks && shape.mask !== undefined) return shape.mask;
  if (!hasSecret(shape, masks)) return undefined;
  const compiled = (part: Shape | undefined) => (part === undefined ? hide : (compile(part, masks) ?? show));
  const item = compiled(shape.items);
  const other = compiled(shape.others);
  const fields = new Map([...shape.fields].map(([name, field]) => [name, compiled(field)]));
  return (value) => {
    if (value === null || value === undefined) return value;
    if (typeof value !== 'object') return shape.scalar ? value : hidden;
    if (Array.isArray(value)) {
      const shown = value.map(item);
      return shown.some((one, index) => one !== value[index]) ? shown : value;
    }
    const entries = Object.entries(value);
    const shown = entries.map(([name, inner]) => [name, (fields.get(name) ?? other)(inner)] as const);
    return shown.some(([, one], index) => one !== entries[index]?.[1]) ? Object.fromEntries(shown) : value;
  };
}
