/** A hostile request of `conformance/policies/hostile-signatures.json`. */
export interface HostileSignature {
  readonly id: string;
  /** The harm of `conformance/policies/harms.json` that it does. */
  readonly harm: string;
  readonly chain: 'ethereum' | 'solana' | 'tron' | 'bitcoin' | 'any';
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The service refuses to read these bytes, so that no policy can allow them. */
  readonly refused?: true;
}

/**
 * Bytes that stand for the signer, the receiver and the token while libraries build a request. They are replaced by the placeholders of
 * the file afterwards, which have the same length on one chain. So a request can be made for any organization without building it again.
 */
const patterns = { self: '5e1f', to: '7a51', token: '70ce' } as const;

export type Placeholder = keyof typeof patterns;

/** The hexadecimal digits of a placeholder with that many bytes. */
export const bytesOf = (name: Placeholder, length: number) => patterns[name].repeat(length / 2);

/** Replaces the bytes of placeholders in a text by their names, in the longest runs first. */
export function withPlaceholders(text: string): string {
  let result = text;
  for (const [name, pattern] of Object.entries(patterns)) {
    for (const length of [32, 20]) result = result.replace(new RegExp(pattern.repeat(length / 2), 'gi'), `<${name}>`);
  }
  return result;
}

const SIGN_TRANSACTION = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2';
const SIGN_RAW_PAYLOAD = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

type Entry = Pick<HostileSignature, 'id' | 'harm' | 'chain'>;

export function transaction(entry: Entry, unsigned: string): HostileSignature {
  const type = `TRANSACTION_TYPE_${entry.chain.toUpperCase()}`;
  const unsignedTransaction = withPlaceholders(unsigned.replace(/^0x/, ''));
  return { ...entry, type: SIGN_TRANSACTION, parameters: { signWith: '<account>', unsignedTransaction, type } };
}

export function payload(entry: Entry, text: string, encoding: string, hashFunction = 'HASH_FUNCTION_NO_OP'): HostileSignature {
  const parameters = {
    signWith: '<account>',
    payload: withPlaceholders(text),
    encoding: `PAYLOAD_ENCODING_${encoding}`,
    hashFunction,
  };
  return { ...entry, type: SIGN_RAW_PAYLOAD, parameters };
}
