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

/** What is read of a schema of zod. */
export interface Schema {
  readonly _zod: { readonly def: Def };
}

/** The longest text or list that is made, where a schema would take more. */
const LONGEST = 60;

/**
 * Values that a schema may take: most of them it does, and texts are often as long as it lets them be. Members come in any order, and
 * optional ones may be missing. With `wrong`, every twenty-fifth value anywhere is one of these.
 */
export function valuesNear(schema: Schema, wrong?: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const near = (inner: Schema) => valuesNear(inner, wrong);
  const right = rightValues(schema._zod.def, near);
  return wrong === undefined ? right : fc.oneof({ arbitrary: right, weight: 24 }, { arbitrary: wrong, weight: 1 });
}

function rightValues(def: Def, near: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const checks = (def.checks ?? []).map(({ _zod }) => _zod.def);
  const most = Math.min(LONGEST, ...checks.flatMap(({ maximum }) => maximum ?? []));
  switch (def.type) {
    case 'object':
      return members(Object.entries(def.shape ?? {}), near);
    case 'optional':
    case 'nonoptional':
    case 'default':
      return near(def.innerType as Schema);
    case 'union':
      return fc.oneof(...(def.options ?? []).map(near));
    case 'array':
      return fc.array(near(def.element as Schema), { maxLength: Math.min(4, most) });
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
      // Hardly any other text is of a pattern, and a schema with several of them would take next to nothing.
      const asAsked = made.map((pattern) => ({ arbitrary: fc.stringMatching(pattern), weight: 24 }));
      return fc.oneof(...plain.map((arbitrary) => ({ arbitrary, weight: 1 })), ...asAsked);
    }
    default:
      return fc.jsonValue();
  }
}

function members(shape: readonly (readonly [string, Schema])[], near: (schema: Schema) => fc.Arbitrary<unknown>) {
  const requiredKeys = shape.filter(([, member]) => member._zod.def.type !== 'optional').map(([name]) => name);
  return fc
    .record(Object.fromEntries(shape.map(([name, member]) => [name, near(member)])), { requiredKeys })
    .chain((made) => fc.shuffledSubarray(Object.entries(made), { minLength: Object.keys(made).length }))
    .map((entries) => Object.fromEntries(entries));
}
