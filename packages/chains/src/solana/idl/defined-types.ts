import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { invalidInterface } from '../../shared/refusal.ts';
import { type IdlDefinition, type IdlFields, type IdlType, parseIdlDefinition } from './idl-type.ts';
import { asObject, nameOf } from './json-shape.ts';

/** How deep types may nest. Bounds the stack that decoding needs. */
const MAX_TYPE_DEPTH = 64;

/** The types of the fields, in order. */
export function fieldTypes(fields: IdlFields): readonly IdlType[] {
  if (fields.kind === 'unit') return [];
  return fields.kind === 'positional' ? fields.items : fields.fields.map(({ type }) => type);
}

/**
 * The definitions that `roots` lead to, from the interface's list of types. Skips types that only accounts or events use.
 * Refuses a type that is not defined, contains itself, or nests too deep.
 */
export function readDefinedTypes(
  entries: readonly ExactJsonValue[],
  roots: readonly IdlType[],
): ReadonlyMap<string, IdlDefinition> {
  const sources = indexByName(entries);
  const definitions = new Map<string, IdlDefinition>();
  const depths = new Map<string, number>();

  function depthOf(type: IdlType, path: readonly string[]): number {
    const inner =
      type.kind === 'defined'
        ? depthOfDefined(type.name, path)
        : type.kind === 'tuple'
          ? deepest(type.items, path)
          : type.kind === 'scalar'
            ? 0
            : depthOf(type.of, path);
    if (inner + path.length >= MAX_TYPE_DEPTH) throw invalidInterface(`types are nested more than ${MAX_TYPE_DEPTH} deep`);
    return inner + 1;
  }

  function deepest(types: readonly IdlType[], path: readonly string[]): number {
    return types.reduce((depth, type) => Math.max(depth, depthOf(type, path)), 0);
  }

  function depthOfDefined(name: string, path: readonly string[]): number {
    const known = depths.get(name);
    if (known !== undefined) return known;
    if (path.includes(name)) throw invalidInterface(`the type ${name} contains itself`);
    const source = sources.get(name);
    if (source === undefined) {
      throw invalidInterface(`the type ${JSON.stringify(name)} is ${sources.has(name) ? 'defined twice' : 'not defined'}`);
    }
    const definition = readDefinition(source, name);
    const depth = deepest(innerTypes(definition), [...path, name]);
    definitions.set(name, definition);
    depths.set(name, depth);
    return depth;
  }

  deepest(roots, []);
  return definitions;
}

/** Each name with its source. A name that two types share maps to `undefined`, so nothing can refer to it. */
function indexByName(entries: readonly ExactJsonValue[]): ReadonlyMap<string, ExactJsonObject | undefined> {
  const sources = new Map<string, ExactJsonObject | undefined>();
  for (const entry of entries) {
    const object = asObject(entry, 'a type');
    const name = nameOf(object, 'a type');
    sources.set(name, sources.has(name) ? undefined : object);
  }
  return sources;
}

function readDefinition(source: ExactJsonObject, name: string): IdlDefinition {
  const generics = source.get('generics');
  if (Array.isArray(generics) && generics.length > 0) throw invalidInterface(`the generic type ${name} is not supported`);
  const serialization = source.get('serialization') ?? 'borsh';
  // Bytemuck describes the layout in an account. As an argument, Anchor still reads the type with Borsh.
  if (serialization !== 'borsh' && serialization !== 'bytemuck' && serialization !== 'bytemuckunsafe') {
    throw invalidInterface(`the serialization of type ${name} is not supported`);
  }
  return parseIdlDefinition(source.get('type'), name);
}

function innerTypes(definition: IdlDefinition): readonly IdlType[] {
  if (definition.kind === 'alias') return [definition.type];
  if (definition.kind === 'struct') return fieldTypes(definition.fields);
  return definition.variants.flatMap(({ fields }) => fieldTypes(fields));
}
