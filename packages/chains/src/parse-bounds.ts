/**
 * Bounds of the work that one new request may cause in parsers. Honest requests stay far below them.
 * INVARIANT: a bound rejects a request. It never changes how a request is read, so stored requests, which are read without bounds, keep
 * their meaning.
 */
export interface ParseBounds {
  /** Values and hashed blocks of EIP-712 typed data. */
  readonly typedDataWork: number;
  /** Values that the fields of ERC-7730 descriptors select, over all calls of a transaction or in a message. */
  readonly describedValues: number;
  /** Records in one map of a PSBT. */
  readonly psbtMapRecords: number;
  /** Values that stored interfaces decode, over all instructions of a Solana transaction. */
  readonly decodedValues: number;
  /** Items of one list in a transaction of a chain whose transactions are lists of messages. */
  readonly listItems: number;
}

/** Bounds of a new contract interface. Stored interfaces are read without them. */
export interface InterfaceBounds {
  /** Functions of an ABI, instructions of an IDL, or deployments of a descriptor. Each function costs a hash whenever the interface is read again. */
  readonly functions: number;
  /** Parameters of one function, those in tuples included. */
  readonly parameters: number;
}

/** The bounds of the service for new interfaces. The largest published ones have about 500 functions. */
export const newInterfaceBounds: InterfaceBounds = Object.freeze({ functions: 1_000, parameters: 1_000 });

/** The bounds of the service for new requests. */
export const newRequestBounds: ParseBounds = Object.freeze({
  // A thousand items of a Seaport order take 10,000. The portable code takes about 10 µs for each hashed block.
  typedDataWork: 16_384,
  // The longest call has 4,000 words. A descriptor names each of them once, or a whole list at a time.
  describedValues: 8_192,
  // An input of a multisig of 15 keys has fewer than 50.
  psbtMapRecords: 1_000,
  // Three times the bytes of a transaction. Only types without content decode to more.
  decodedValues: 4_096,
  // The chain executes at most 30 votes, 8 active permissions and 5 keys of each.
  listItems: 30,
});
