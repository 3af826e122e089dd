import { finished, mapInSteps, type Steps } from '@countersign/collections';
import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { normalizeEthereumAddress } from '../../addresses/ethereum.ts';
import type { InterfaceBounds } from '../../parse-bounds.ts';
import { readJsonText } from '../../shared/json-text.ts';
import { invalidInterface } from '../../shared/refusal.ts';
import { parseSignature } from '../calls/abi-signature.ts';
import { type AbiFunction, readInterface } from '../contract-interface.ts';
import { parseJsonInteger } from '../json-value.ts';
import { encodeType, parseStructTypes } from '../typed-data-types.ts';
import { type FieldFormat, readFields } from './fields.ts';

/** How a call or message is shown: its intent and its labelled fields. */
export interface DisplayFormat {
  readonly intent: string;
  readonly fields: readonly FieldFormat[];
}

/** Where a descriptor applies. */
interface Deployment {
  readonly chainId: bigint;
  readonly address: string;
}

/** An ERC-7730 descriptor for one contract: its functions by selector, its messages by their EIP-712 encodeType. */
export interface Descriptor {
  readonly deployments: readonly Deployment[];
  readonly functions: ReadonlyMap<string, { readonly abi: AbiFunction; readonly format: DisplayFormat }>;
  readonly messages: ReadonlyMap<string, DisplayFormat>;
}

const maxLength = 400_000;
const maxFormats = 500;

/** Reads a descriptor as `descriptorInSteps` does, without a pause. */
export function parseDescriptor(json: string): Descriptor {
  return finished(descriptorInSteps(json));
}

/**
 * Reads an ERC-7730 descriptor from its JSON text, at most 400,000 characters. It must be complete: its
 * `includes` are not fetched. Throws ChainError INVALID_INTERFACE, also if its ABI exceeds the bounds.
 */
export function* descriptorInSteps(json: string, bounds?: InterfaceBounds): Steps<Descriptor> {
  const root = object(readJsonText(json, maxLength, invalidInterface), 'a descriptor');
  if (root.has('includes')) throw invalidInterface('a descriptor that includes others must be sent as one file');
  const context = object(root.get('context'), 'context of a descriptor');
  const formats = object(object(root.get('display'), 'display').get('formats'), 'display.formats');
  if (formats.size > maxFormats) throw invalidInterface(`a descriptor has more than ${maxFormats} formats`);
  const contract = context.get('contract');
  const typed = context.get('eip712');
  if ((contract === undefined) === (typed === undefined)) {
    throw invalidInterface('the context of a descriptor is either a contract or eip712');
  }
  const place = object(contract ?? typed, 'the context of a descriptor');
  const read = ([key, format]: readonly [string, ExactJsonValue]) => [key, readFormat(key, format, root)] as const;
  const entries = yield* mapInSteps([...formats], read);
  return {
    deployments: yield* readDeployments(place.get('deployments'), bounds?.functions),
    functions: contract === undefined ? new Map() : yield* functionFormats(entries, place, bounds),
    messages: contract === undefined ? messageFormats(entries, place) : new Map(),
  };
}

/** SECURITY: D356: the checksum of each address costs a hash. */
function readDeployments(json: ExactJsonValue | undefined, max = Number.POSITIVE_INFINITY): Steps<readonly Deployment[]> {
  const entries = list(json, 'deployments');
  if (entries.length > max) throw invalidInterface(`a descriptor has more than ${max} deployments`);
  return mapInSteps(entries, (entry) => {
    const fields = object(entry, 'a deployment');
    const chainId = parseJsonInteger(fields.get('chainId'));
    const address = fields.get('address');
    if (chainId === undefined || typeof address !== 'string') throw invalidInterface('a deployment has a chainId and an address');
    return { chainId, address: normalizeEthereumAddress(address) };
  });
}

function readFormat(key: string, json: ExactJsonValue, root: ExactJsonObject): DisplayFormat {
  const format = object(json, `the format of ${key.slice(0, 80)}`);
  const intent = format.get('intent');
  // ERC-7730 also allows an object of short texts.
  const words = intent instanceof Map ? [...intent.values()].filter((word) => typeof word === 'string').join(' ') : intent;
  return { intent: typeof words === 'string' ? words : '', fields: readFields(format.get('fields') ?? [], root) };
}

function* functionFormats(
  entries: readonly (readonly [string, DisplayFormat])[],
  place: ExactJsonObject,
  bounds: InterfaceBounds | undefined,
): Steps<Descriptor['functions']> {
  const abi = place.get('abi');
  // A descriptor of the registry may name a web address instead. It is not fetched.
  const listed = Array.isArray(abi) ? yield* readInterface(abi as readonly ExactJsonValue[], bounds) : undefined;
  const known = listed?.functions ?? new Map<string, AbiFunction>();
  const functions = new Map<string, { abi: AbiFunction; format: DisplayFormat }>();
  for (const [key, format] of entries) {
    const written = key.startsWith('0x') ? undefined : parseSignature(key);
    const selector = written?.selector ?? key.toLowerCase();
    const named = written?.inputs.every(({ name }) => name !== '') ? written : (known.get(selector) ?? written);
    if (named === undefined) throw invalidInterface(`the descriptor has no parameters for ${key.slice(0, 80)}`);
    // SECURITY: with two texts for one function, it would be unclear which one is shown.
    if (functions.has(selector)) throw invalidInterface(`the descriptor has two formats for ${selector}`);
    functions.set(selector, { abi: named, format });
  }
  return functions;
}

/** A format is named by the whole encodeType of its message, or by its primary type where a schema gives the rest. */
function messageFormats(entries: readonly (readonly [string, DisplayFormat])[], place: ExactJsonObject): Descriptor['messages'] {
  const schemas = new Map(
    list(place.get('schemas') ?? [], 'schemas').flatMap((entry) => {
      // The registry also names schemas by web address. They are not fetched.
      if (!(entry instanceof Map)) return [];
      const primaryType = entry.get('primaryType');
      if (typeof primaryType !== 'string') throw invalidInterface('a schema has no primaryType');
      const types = parseStructTypes(entry.get('types'), new Map([['name', '']]));
      return [[primaryType, encodeType(types, primaryType)] as const];
    }),
  );
  return new Map(
    entries.map(([key, format]) => {
      const encoded = key.includes('(') ? key : schemas.get(key);
      if (encoded === undefined) throw invalidInterface(`the descriptor has no schema for ${key.slice(0, 80)}`);
      return [encoded, format];
    }),
  );
}

function object(json: ExactJsonValue | undefined, what: string): ExactJsonObject {
  if (!(json instanceof Map)) throw invalidInterface(`${what} must be an object`);
  return json;
}

function list(json: ExactJsonValue | undefined, what: string): readonly ExactJsonValue[] {
  if (!Array.isArray(json)) throw invalidInterface(`${what} must be a list`);
  return json as readonly ExactJsonValue[];
}
