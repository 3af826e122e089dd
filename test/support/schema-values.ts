import fc from 'fast-check';

interface Check {
  readonly maximum?: number;
  readonly pattern?: RegExp;
}

interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly string[];
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
}

/** The parts of a zod schema that are read here. */
export interface Schema {
  readonly _zod: { readonly def: Def };
}

/** The longest generated text or list, if the schema allows more. */
const LONGEST = 60;

/**
 * Values that a schema usually accepts. Texts often have the maximum length, members come in any order, and optional members may be
 * missing.
 */
export function valuesNear(schema: Schema): fc.Arbitrary<unknown> {
  const { def } = schema._zod;
  const checks = (def.checks ?? []).map(({ _zod }) => _zod.def);
  const most = Math.min(LONGEST, ...checks.flatMap(({ maximum }) => maximum ?? []));
  switch (def.type) {
    case 'object':
      return members(Object.entries(def.shape ?? {}));
    case 'optional':
    case 'nonoptional':
    case 'default':
      return valuesNear(def.innerType as Schema);
    case 'union':
      return fc.oneof(...(def.options ?? []).map(valuesNear));
    case 'array':
      return fc.array(valuesNear(def.element as Schema), { maxLength: Math.min(4, most) });
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.integer({ min: 0, max: most });
    case 'string': {
      const made = checks
        .flatMap(({ pattern }) => pattern ?? [])
        .map((pattern) => (pattern.flags === '' ? pattern : /^[a-z0-9]*$/));
      const plain = [fc.string({ maxLength: 40 }), fc.stringMatching(/^[a-z0-9]{1,12}$/), fc.constant('a'.repeat(most))];
      // Random text rarely matches a pattern, so a schema with several patterns would reject almost all values.
      const asAsked = made.map((pattern) => ({ arbitrary: fc.stringMatching(pattern), weight: 24 }));
      return fc.oneof(...plain.map((arbitrary) => ({ arbitrary, weight: 1 })), ...asAsked);
    }
    default:
      return fc.jsonValue();
  }
}

function members(shape: readonly (readonly [string, Schema])[]) {
  const requiredKeys = shape.filter(([, member]) => member._zod.def.type !== 'optional').map(([name]) => name);
  return fc
    .record(Object.fromEntries(shape.map(([name, member]) => [name, valuesNear(member)])), { requiredKeys })
    .chain((made) => fc.shuffledSubarray(Object.entries(made), { minLength: Object.keys(made).length }))
    .map((entries) => Object.fromEntries(entries));
}
