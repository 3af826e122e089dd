import type { PolicyValue } from '@countersign/policy';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { CallScope } from '../calls/scope.ts';

/** Typed data as readers take it. Addresses are lower-case. */
export interface TypedMessage {
  /** EIP-712 encodeType of the message: its exact type, with all types that it refers to. */
  readonly type: string;
  readonly primaryType: string;
  /** The fields of the domain, by their names in EIP-712. */
  readonly domain: ReadonlyMap<string, PolicyValue>;
  /** The contract that checks the signature. */
  readonly contract: string;
  readonly fields: MessageFields;
  /** The address that signs. */
  readonly signer: string;
}

/** Reports the effects of signing a message. Returns false if it cannot report all of them. */
export type MessageReader = (message: TypedMessage, scope: CallScope) => boolean;

/** The values of a struct by name. INVARIANT: the reader was chosen by the exact type, so a wrong name or type is a bug of ours. */
export class MessageFields {
  readonly values: ReadonlyMap<string, PolicyValue>;

  constructor(values: ReadonlyMap<string, PolicyValue>) {
    this.values = values;
  }

  address(name: string): string {
    const value = this.#value(name);
    if (typeof value !== 'string') throw new TypeError(`${name} is not text`);
    return value;
  }

  bytes(name: string): Uint8Array {
    return hexToBytes(this.address(name).slice(2));
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

  struct(name: string): MessageFields {
    const value = this.#value(name);
    if (!(value instanceof Map)) throw new TypeError(`${name} is not a struct`);
    return new MessageFields(value);
  }

  structs(name: string): readonly MessageFields[] {
    const value = this.#value(name);
    if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`);
    return value.map((item: ReadonlyMap<string, PolicyValue>) => new MessageFields(item));
  }

  #value(name: string): PolicyValue {
    const value = this.values.get(name);
    if (value === undefined) throw new TypeError(`no field is named ${name}`);
    return value;
  }
}
