import { hexToBytes } from '@noble/hashes/utils.js';
import type { AbiValue } from '../abi-codec.ts';
import type { AbiParameter } from '../abi-type.ts';

/**
 * Decoded arguments by name. INVARIANT: the names and types are those of the signature next to the code that reads them, so a wrong name or
 * type is a bug of ours and throws TypeError.
 */
export class Arguments {
  readonly #parameters: readonly AbiParameter[];
  readonly #values: readonly AbiValue[];

  constructor(parameters: readonly AbiParameter[], values: readonly AbiValue[]) {
    this.#parameters = parameters;
    this.#values = values;
  }

  address(name: string): string {
    return this.#text(name);
  }

  bytes(name: string): Uint8Array {
    return hexToBytes(this.#text(name).slice(2));
  }

  uint(name: string): bigint {
    const value = this.#value(name);
    if (typeof value !== 'bigint') throw new TypeError(`${name} is not an integer`);
    return value;
  }

  bool(name: string): boolean {
    const value = this.#value(name);
    if (typeof value !== 'boolean') throw new TypeError(`${name} is not true or false`);
    return value;
  }

  tuple(name: string): Arguments {
    const { shape } = this.#parameter(name).type;
    if (shape.kind !== 'tuple') throw new TypeError(`${name} is not a tuple`);
    return new Arguments(shape.members, this.#list(name));
  }

  tuples(name: string): readonly Arguments[] {
    const { shape } = this.#parameter(name).type;
    const element = shape.kind === 'array' ? shape.element.shape : undefined;
    if (element?.kind !== 'tuple') throw new TypeError(`${name} is not a list of tuples`);
    return this.#list(name).map((item) => new Arguments(element.members, item as readonly AbiValue[]));
  }

  addresses(name: string): readonly string[] {
    return this.#list(name) as readonly string[];
  }

  uints(name: string): readonly bigint[] {
    return this.#list(name) as readonly bigint[];
  }

  bytesList(name: string): readonly Uint8Array[] {
    return this.addresses(name).map((hex) => hexToBytes(hex.slice(2)));
  }

  #parameter(name: string): AbiParameter {
    const found = this.#parameters.find((parameter) => parameter.name === name);
    if (found === undefined) throw new TypeError(`no parameter is named ${name}`);
    return found;
  }

  #value(name: string): AbiValue {
    const value = this.#values[this.#parameters.indexOf(this.#parameter(name))];
    if (value === undefined) throw new TypeError(`${name} has no value`);
    return value;
  }

  #text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== 'string') throw new TypeError(`${name} is not text`);
    return value;
  }

  #list(name: string): readonly AbiValue[] {
    const value = this.#value(name);
    if (typeof value !== 'object') throw new TypeError(`${name} is not a list`);
    return value;
  }
}
