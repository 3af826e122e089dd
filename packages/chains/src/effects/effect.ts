/** Something of value, by its CAIP-19 name: `eip155:1/slip44:60`, `eip155:1/erc20:0xa0b8…`, `solana:5eykt…/token:EPjF…`. */
export interface Asset {
  readonly id: string;
  /** COIN is the coin of a chain. NFT is one piece of a collection, or an amount of one kind in it. */
  readonly kind: 'COIN' | 'TOKEN' | 'NFT';
  /** Present for coins, and for tokens that a token list names. */
  readonly symbol?: string;
  readonly decimals?: number;
  /** Present if only the organization's own token list names it. Sentences then also show the contract. */
  readonly definedBy?: 'ORGANIZATION';
}

/** A quantity of an asset in base units. Absent where the bytes do not tell how much. */
interface Quantity {
  readonly asset: Asset;
  readonly amount?: bigint;
}

/**
 * One thing that a signature does, in the same words on every chain. `from` loses something or grants it, `to` gains. Either is
 * absent where the bytes do not tell the address, such as one from a lookup table of Solana.
 * INVARIANT: addresses have the form that the policy values of their chain have.
 */
export type Effect =
  | (Quantity & {
      readonly kind: 'TRANSFER';
      readonly from?: string;
      readonly to?: string;
      /** Who controls `to`, where the transaction proves it. */
      readonly owner?: string;
      /** The part of `amount` that the rules of the token keep back from `to`. */
      readonly fee?: bigint;
    })
  /** `to` may take from `from` later. A `permit` is a signature that the spender brings along, not a transaction. */
  | (Quantity & {
      readonly kind: 'ALLOWANCE';
      readonly from?: string;
      readonly to?: string;
      readonly unlimited: boolean;
      readonly permit?: true;
      /** Seconds since 1970. */
      readonly expires?: bigint;
    })
  /** The most that `from` can pay for executing the transaction. */
  | (Quantity & { readonly kind: 'FEE'; readonly from: string })
  /** An account or a contract comes into being. `from` pays `amount` for it; `to` is its address where the bytes tell. */
  | (Partial<Quantity> & {
      readonly kind: 'CREATE';
      readonly what: 'CONTRACT' | 'ACCOUNT';
      readonly from?: string;
      readonly to?: string;
      /** Who controls `to`: a wallet or a program. */
      readonly owner?: string;
    })
  /** Who may act for `from` changes. `what` says it: "delegate to the code", "close authority". `to` gains the right. */
  | { readonly kind: 'AUTHORITY'; readonly what: string; readonly from?: string; readonly to?: string }
  /**
   * A call that an interface names and whose arguments policies can read, and that no rule here translates further. Without `to`
   * no contract receives it: `what` alone says what happens, for example that data is written. `words` is the call as a stored
   * descriptor shows it: for people alone, policies do not see it. `movesNothing`: the call moves no value and no right. Only limits see it.
   */
  | {
      readonly kind: 'CALL';
      readonly what: string;
      readonly words?: string;
      readonly to?: string;
      readonly movesNothing?: true;
    }
  /** The signature is also valid on chains or for contracts that it does not name. `lasting`: it is valid until revoked. */
  | { readonly kind: 'REPLAYABLE'; readonly what: string; readonly lasting?: true }
  /** Bytes that no parser understood. `to` receives them. */
  | { readonly kind: 'UNKNOWN'; readonly what: string; readonly words?: string; readonly to?: string; readonly bytes: number };

/** Every kind of effect, for the vocabulary of policies. */
export const effectKinds = [
  'TRANSFER',
  'ALLOWANCE',
  'FEE',
  'CREATE',
  'AUTHORITY',
  'CALL',
  'REPLAYABLE',
  'UNKNOWN',
] as const satisfies readonly Effect['kind'][];
