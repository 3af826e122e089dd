import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { invalidTypedData } from '../shared/refusal.ts';
import { type ElementaryType, isIdentifier, parseArraySuffix, parseElementaryType } from './solidity-type.ts';

/** An EIP-712 type: elementary, an array, or a struct by name. */
export type TypedDataType =
  | ElementaryType
  | { readonly kind: 'array'; readonly element: TypedDataType; readonly length: number | undefined }
  | { readonly kind: 'struct'; readonly name: string };

interface StructMember {
  readonly name: string;
  /** The type as written. The type hash covers this text. */
  readonly typeName: string;
  readonly type: TypedDataType;
}

/** The members of each struct type, in declared order. */
export type StructTypes = ReadonlyMap<string, readonly StructMember[]>;

// Each used type is hashed together with every type that it refers to, so the number of types multiplies the work.
const maxTypes = 100;

/** The fields that EIP-712 allows in a domain, with their types. */
const domainMembers: ReadonlyMap<string, string> = new Map([
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
  ['salt', 'bytes32'],
]);

/**
 * Reads the `types` of typed data. Throws ChainError INVALID_TYPED_DATA unless every name is well formed and every type exists.
 * Some libraries leave out the domain's own type. It is then made from the domain's fields, in the order of EIP-712.
 */
export function parseStructTypes(json: ExactJsonValue | undefined, domain: ExactJsonObject): StructTypes {
  if (!(json instanceof Map)) throw invalidTypedData('types must be an object');
  if (json.size > maxTypes) throw invalidTypedData(`more than ${maxTypes} types`);
  const names = new Set(json.keys());
  const types = new Map(Array.from(json, ([name, members]) => [checkName(name), readMembers(name, members, names)]));
  if (!types.has('EIP712Domain')) types.set('EIP712Domain', derivedDomain(domain));
  for (const { name, typeName } of types.get('EIP712Domain') ?? []) {
    const expected = domainMembers.get(name);
    if (expected === undefined) throw invalidTypedData(`EIP712Domain has the field ${name}, which EIP-712 does not define`);
    if (expected !== typeName) throw invalidTypedData(`the field ${name} of EIP712Domain must be of type ${expected}`);
  }
  return types;
}

/** EIP-712 encodeType: the struct itself, then every type that it refers to, by name. */
export function encodeType(types: StructTypes, name: string): string {
  const referenced = new Set([name]);
  // A Set iterates in insertion order, including items added during the loop. So each type appears once, even in a cycle.
  for (const visited of referenced) {
    for (const { type } of types.get(visited) ?? []) {
      const base = baseOf(type);
      if (base.kind === 'struct') referenced.add(base.name);
    }
  }
  const [, ...others] = referenced;
  return [name, ...others.sort()].map((struct) => `${struct}(${describeMembers(types.get(struct) ?? [])})`).join('');
}

function describeMembers(members: readonly StructMember[]): string {
  return members.map(({ typeName, name }) => `${typeName} ${name}`).join(',');
}

function baseOf(type: TypedDataType): TypedDataType {
  return type.kind === 'array' ? baseOf(type.element) : type;
}

function checkName(name: string): string {
  // Allow Solidity identifiers and a colon, as in "HyperliquidTransaction:UsdSend". It cannot change how a type is read.
  if (!name.split(':').every(isIdentifier)) {
    throw invalidTypedData(`${JSON.stringify(name.slice(0, 80))} is not a valid type name`);
  }
  if (parseElementaryType(name) !== undefined || name === 'uint' || name === 'int') {
    throw invalidTypedData(`the type ${name} cannot be redefined`);
  }
  return name;
}

function readMembers(struct: string, json: ExactJsonValue, structs: ReadonlySet<string>): readonly StructMember[] {
  if (!Array.isArray(json)) throw invalidTypedData(`the type ${struct} is not a list of members`);
  const seen = new Set<string>();
  return (json as readonly ExactJsonValue[]).map((entry) => {
    const name = entry instanceof Map ? entry.get('name') : undefined;
    const typeName = entry instanceof Map ? entry.get('type') : undefined;
    if (typeof name !== 'string' || typeof typeName !== 'string' || (entry as ExactJsonObject).size !== 2) {
      throw invalidTypedData(`each member of the type ${struct} must have a name and a type, and nothing else`);
    }
    if (!isIdentifier(name)) throw invalidTypedData(`a member of the type ${struct} has an invalid name`);
    if (seen.has(name)) throw invalidTypedData(`the type ${struct} has two members named ${name}`);
    seen.add(name);
    return { name, typeName, type: readType(typeName, structs) };
  });
}

function readType(typeName: string, structs: ReadonlySet<string>): TypedDataType {
  const suffix = parseArraySuffix(typeName);
  if (suffix === undefined) throw invalidTypedData(`${JSON.stringify(typeName.slice(0, 80))} is not a valid type`);
  const { base, lengths } = suffix;
  const element = parseElementaryType(base) ?? (structs.has(base) ? { kind: 'struct' as const, name: base } : undefined);
  if (element === undefined) {
    const help = base === 'uint' || base === 'int' ? `: EIP-712 has no alias, write ${base}256` : '';
    throw invalidTypedData(`the type ${base.slice(0, 80)} is neither built in nor defined${help}`);
  }
  return lengths.reduce<TypedDataType>((inner, length) => ({ kind: 'array', element: inner, length }), element);
}

function derivedDomain(domain: ExactJsonObject): readonly StructMember[] {
  const members = Array.from(domainMembers).filter(([name]) => domain.has(name));
  // SECURITY: a signature over an empty domain is valid in every application, so the caller must ask for it explicitly.
  if (members.length === 0) throw invalidTypedData('the domain is empty and types does not define EIP712Domain');
  // Libraries disagree whether an empty version is a field, so the caller may expect another digest.
  if (domain.get('version') === '')
    throw invalidTypedData('the domain has an empty version and types does not define EIP712Domain');
  return members.map(([name, typeName]) => ({ name, typeName, type: readType(typeName, new Set()) }));
}
