import type { PolicyValue } from '../policy-value.ts';

/** Something of value, by its CAIP-19 name: `eip155:1/slip44:60`, `eip155:1/erc20:0xa0b8…`, `solana:5eykt…/token:EPjF…`. */
export interface Asset {
  readonly id: string;
  /** COIN is the coin of a chain. NFT is one piece of a collection, or an amount of one kind in it. */
  readonly kind: 'COIN' | 'TOKEN' | 'NFT';
  /** Present for coins, and for tokens that a token list names. */
  readonly symbol?: string;
  readonly decimals?: number;
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
  /** The most that `from` can pay for having the transaction carried out. */
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
   * no contract receives it: `what` alone says what happens, for example that data is written.
   */
  | { readonly kind: 'CALL'; readonly what: string; readonly to?: string }
  /** The signature is good on chains, or in places, that it does not name. `lasting`: it is good until somebody ends it. */
  | { readonly kind: 'REPLAYABLE'; readonly what: string; readonly lasting?: true }
  /** Bytes that nobody understood. `to` is what receives them. */
  | { readonly kind: 'UNKNOWN'; readonly what: string; readonly to?: string; readonly bytes: number };

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

const noAsset = { asset: '', asset_kind: '', symbol: '' };
const noAllowance = { unlimited: false, permit: false, lasting: false };

/**
 * What a kind of effect never has, as policies see it, so that a rule about all effects has an answer for each of them.
 * SECURITY: a CALL and an UNKNOWN effect can do anything. Nothing is said about them that the bytes do not tell.
 */
const without: { readonly [K in Effect['kind']]: { readonly [field: string]: PolicyValue } } = {
  TRANSFER: noAllowance,
  ALLOWANCE: { permit: false, lasting: false, owner: '' },
  FEE: { to: '', owner: '', ...noAllowance },
  CREATE: { ...noAsset, ...noAllowance },
  AUTHORITY: { owner: '', ...noAsset, ...noAllowance },
  CALL: {},
  REPLAYABLE: { from: '', to: '', owner: '', ...noAsset, ...noAllowance },
  UNKNOWN: {},
};

/** An effect as policies see it. A field that the bytes do not tell is absent, so that asking for it is an error and not a zero. */
export function effectView(effect: Effect): { readonly [field: string]: PolicyValue } {
  const { kind, ...rest } = effect;
  const view: Record<string, PolicyValue> = { ...without[kind], kind };
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    if (name !== 'asset') view[name] = typeof value === 'number' ? BigInt(value) : (value as PolicyValue);
  }
  if ('asset' in effect && effect.asset !== undefined) {
    const { id, kind: assetKind, symbol, decimals } = effect.asset;
    view.asset = id;
    view.asset_kind = assetKind;
    if (symbol === undefined) delete view.symbol;
    else view.symbol = symbol;
    if (decimals !== undefined) view.decimals = BigInt(decimals);
    // Only on Solana may the receiver be an account that somebody else controls.
    if (kind === 'TRANSFER' && view.to !== undefined && !id.startsWith('solana:')) view.owner ??= view.to;
  }
  return view;
}
