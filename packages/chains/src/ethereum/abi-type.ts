import { invalidInterface } from '../shared/refusal.ts';
import { type ElementaryType, parseArraySuffix, parseElementaryType } from './solidity-type.ts';

/** A type of the contract ABI, with the two facts that its layout needs. */
export interface AbiType {
  readonly shape: ElementaryType | ArrayShape | TupleShape;
  /** The canonical name in function signatures, for example `(address,uint256)[]`. */
  readonly name: string;
  /** A dynamic type has an offset in the head and its content in the tail. */
  readonly dynamic: boolean;
  /** Bytes taken in the head: 32 for a dynamic type, otherwise the whole value. */
  readonly headSize: number;
}

interface ArrayShape {
  readonly kind: 'array';
  readonly element: AbiType;
  /** Undefined for an array of any length. */
  readonly length: number | undefined;
}

interface TupleShape {
  readonly kind: 'tuple';
  readonly members: readonly AbiParameter[];
}

/** A parameter or tuple member. The name may be empty. */
export interface AbiParameter {
  readonly name: string;
  readonly type: AbiType;
}

// Far larger than the call data of any transaction, so no call could ever use a larger static type.
const maxHeadSize = 1 << 20;

/** The type with an ABI name. Only tuples have components. Throws ChainError INVALID_INTERFACE. */
export function abiType(name: string, components: readonly AbiParameter[]): AbiType {
  const suffix = parseArraySuffix(name);
  if (suffix === undefined) throw invalidInterface(`the type ${JSON.stringify(name)} is not a valid ABI type`);
  return suffix.lengths.reduce(arrayType, baseType(suffix.base, components));
}

/** The tuple of the given parameters. A function's arguments have the same layout. Throws ChainError INVALID_INTERFACE. */
export function tupleType(members: readonly AbiParameter[]): AbiType {
  const dynamic = members.some(({ type }) => type.dynamic);
  return sized({
    shape: { kind: 'tuple', members },
    name: `(${members.map(({ type }) => type.name).join(',')})`,
    dynamic,
    headSize: dynamic ? 32 : headSizeOf(members),
  });
}

/** The bytes that the heads of the parameters take together. */
function headSizeOf(members: readonly AbiParameter[]): number {
  return members.reduce((sum, { type }) => sum + type.headSize, 0);
}

function baseType(base: string, components: readonly AbiParameter[]): AbiType {
  if (base === 'tuple') {
    // An empty tuple takes no bytes, so an array of empty tuples could claim any length.
    if (components.length === 0) throw invalidInterface('a tuple needs components');
    return tupleType(components);
  }
  if (components.length > 0) throw invalidInterface(`the type ${base} has components, which only a tuple has`);
  // A function value is an address and a selector: 24 bytes, with the layout of bytes24.
  const shape = parseElementaryType(base === 'function' ? 'bytes24' : base);
  if (shape === undefined) throw invalidInterface(`the type ${JSON.stringify(base)} is not supported${aliasHelp(base)}`);
  return { shape, name: base, dynamic: shape.kind === 'bytes' || shape.kind === 'string', headSize: 32 };
}

function arrayType(element: AbiType, length: number | undefined): AbiType {
  const dynamic = length === undefined || element.dynamic;
  return sized({
    shape: { kind: 'array', element, length },
    name: `${element.name}[${length ?? ''}]`,
    dynamic,
    headSize: dynamic ? 32 : element.headSize * length,
  });
}

function sized(type: AbiType): AbiType {
  if (type.headSize > maxHeadSize) throw invalidInterface(`the type ${type.name.slice(0, 80)} is larger than any transaction`);
  return type;
}

function aliasHelp(base: string): string {
  return base === 'uint' || base === 'int' ? `: write ${base}256` : '';
}
