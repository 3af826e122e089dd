import { finished, type Steps } from '@countersign/collections';
import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { InterfaceBounds } from '../parse-bounds.ts';
import { toHex } from '../shared/bytes.ts';
import { readJsonText } from '../shared/json-text.ts';
import { invalidInterface } from '../shared/refusal.ts';
import { type AbiParameter, abiType, tupleType } from './abi-type.ts';
import { isIdentifier } from './solidity-type.ts';

/** A function that call data can be decoded against. */
export interface AbiFunction {
  readonly name: string;
  /** Canonical, for example `transfer(address,uint256)`. */
  readonly signature: string;
  /** The first four bytes of the signature's hash, as `0x` and 8 digits. Policies call it `function_signature`. */
  readonly selector: string;
  readonly inputs: readonly AbiParameter[];
}

/** The functions of a contract by selector. Overloads have different selectors. */
export interface EthereumInterface {
  readonly functions: ReadonlyMap<string, AbiFunction>;
}

const maxLength = 400_000;
const entryTypes = ['function', 'constructor', 'event', 'error', 'fallback', 'receive'];

/** Reads a contract interface as `interfaceInSteps` does, without a pause. */
export function parseContractInterface(json: string): EthereumInterface {
  return finished(interfaceInSteps(json));
}

/**
 * Reads a contract interface from its JSON ABI, at most 400,000 characters.
 * Throws ChainError INVALID_INTERFACE if any function in it could not be decoded with certainty, or if it exceeds the bounds.
 */
export function interfaceInSteps(json: string, bounds?: InterfaceBounds): Steps<EthereumInterface> {
  return readInterface(readJsonText(json, maxLength, invalidInterface), bounds);
}

/** Reads a contract interface from its list of entries. Throws as `interfaceInSteps` does. */
export function* readInterface(entries: ExactJsonValue, bounds?: InterfaceBounds): Steps<EthereumInterface> {
  if (!Array.isArray(entries)) {
    throw invalidInterface('a contract interface must be a JSON list; from a build artifact, send only the part named "abi"');
  }
  const functions = new Map<string, AbiFunction>();
  const maxFunctions = bounds?.functions ?? Number.POSITIVE_INFINITY;
  let count = 0;
  for (const entry of entries as readonly ExactJsonValue[]) {
    const fields = asObject(entry, 'each entry of the interface');
    // Solidity documentation: a missing type means "function".
    const type = fields.get('type') ?? 'function';
    if (typeof type !== 'string' || !entryTypes.includes(type))
      throw invalidInterface('an entry of the interface has an unknown type');
    if (type !== 'function') continue;
    count += 1;
    if (count > maxFunctions) throw invalidInterface(`more than ${maxFunctions} functions; send only those that are called`);
    addFunction(functions, readFunction(fields, bounds?.parameters));
    yield undefined;
  }
  return { functions };
}

/** Whether two functions decode the same data to the same names and values. */
export function sameFunction(a: AbiFunction, b: AbiFunction): boolean {
  return a.name === b.name && describe(a.inputs) === describe(b.inputs);
}

function addFunction(functions: Map<string, AbiFunction>, added: AbiFunction): void {
  const known = functions.get(added.selector);
  if (known === undefined) functions.set(added.selector, added);
  else if (!sameFunction(known, added)) {
    // SECURITY: call data does not say which function it means, so a policy may see neither.
    throw invalidInterface(`the functions ${known.signature} and ${added.signature} share the selector ${added.selector}`);
  }
}

function readFunction(fields: ExactJsonObject, maxParameters = Number.POSITIVE_INFINITY): AbiFunction {
  const name = fields.get('name');
  if (typeof name !== 'string' || !isIdentifier(name)) throw invalidInterface('a function of the interface has no valid name');
  let left = maxParameters;
  const inputs = readParameters(fields.get('inputs') ?? [], name, () => {
    left -= 1;
    if (left < 0) throw invalidInterface(`the function ${name} has more than ${maxParameters} parameters`);
  });
  const signature = `${name}${tupleType(inputs).name}`;
  return { name, signature, selector: toHex(keccak_256(utf8ToBytes(signature)).subarray(0, 4)), inputs };
}

/** Reads parameters and calls `count` for each, those in tuples included. */
function readParameters(json: ExactJsonValue, owner: string, count: () => void): readonly AbiParameter[] {
  if (!Array.isArray(json)) throw invalidInterface(`the parameters of ${owner} are not a list`);
  const names = new Set<string>();
  return (json as readonly ExactJsonValue[]).map((entry) => {
    count();
    const fields = asObject(entry, `each parameter of ${owner}`);
    const name = fields.get('name') ?? '';
    const type = fields.get('type');
    if (typeof name !== 'string' || typeof type !== 'string')
      throw invalidInterface(`a parameter of ${owner} has no name or no type`);
    if (name !== '' && !isIdentifier(name)) throw invalidInterface(`a parameter of ${owner} has an invalid name`);
    // Policies reach arguments by name. With two arguments of one name, a policy would see only one.
    if (name !== '' && names.has(name)) throw invalidInterface(`two parameters of ${owner} are named ${name}`);
    names.add(name);
    return { name, type: abiType(type, readParameters(fields.get('components') ?? [], `${owner}.${name}`, count)) };
  });
}

function describe(parameters: readonly AbiParameter[]): string {
  return parameters.map(({ name, type }) => `${describeType(type)} ${name}`).join(',');
}

function describeType({ shape, name }: AbiParameter['type']): string {
  if (shape.kind === 'array') return `${describeType(shape.element)}[${shape.length ?? ''}]`;
  return shape.kind === 'tuple' ? `(${describe(shape.members)})` : name;
}

function asObject(json: ExactJsonValue, what: string): ExactJsonObject {
  if (!(json instanceof Map)) throw invalidInterface(`${what} must be an object`);
  return json;
}
