import type { ChainId, TransactionTypeName } from '@countersign/contract';
import type { AddressFormatId } from './addresses/address-formats.ts';
import type { TokenInfo } from './effects/token-list.ts';
import type { ContractInterfaceType } from './interface-type.ts';
import type { RawForm } from './raw/raw-form.ts';
import type { TransactionType } from './transaction.ts';

/** One chain: everything that the rest of the service derives from it. The table is in `chains.ts`. */
export interface Chain<Id extends ChainId = ChainId> {
  readonly id: Id;
  /** The wire name of `transaction`. */
  readonly transactionType: TransactionTypeName<Id>;
  readonly transaction: TransactionType;
  /** How the bytes to sign of a transaction look in a raw payload. */
  readonly raw: RawForm;
  /** The namespace in which policies see a transaction, for example `eth.tx`. */
  readonly namespace: string;
  /** The field of that namespace with the address of the signing key. Without it, the address of the account is used. */
  readonly signerField?: string;
  readonly addresses: ChainAddresses;
  readonly assets: ChainAssets;
  readonly effects: EffectRules;
  /** The contract interfaces that can be stored to decode calls. */
  readonly interfaces: readonly ContractInterfaceType[];
}

interface ChainAddresses {
  readonly formats: readonly AddressFormatId[];
  /** Where an address counts. A signature, or the address itself, does not name one network. */
  readonly networks: string;
  /**
   * The forms of an address in the values that policies compare, if it has several all of them. Undefined or a ChainError for a text
   * that is not an address of the chain.
   */
  readonly forms: (text: string) => string | readonly string[] | undefined;
  /** An address has several forms, for example one for each network. */
  readonly hasSeveralForms?: true;
  /** The form that policies compare, if it differs from the canonical text. Throws ChainError. */
  readonly toPolicyForm?: (text: string) => string;
}

/** The assets of a chain by their CAIP-19 names. */
interface ChainAssets {
  /** The CAIP-2 namespace, for example `eip155`. */
  readonly namespace: string;
  /** A regular expression for the CAIP-2 names of its networks, and a name or placeholder for error texts. */
  readonly network: { readonly pattern: string; readonly example: string };
  /** The kinds of asset. The first is the example in error texts. */
  readonly kinds: readonly [AssetKind, ...AssetKind[]];
  /** Symbol and decimals of the coin of a network. */
  readonly coin: (network: string) => Partial<TokenInfo>;
  /** The tokens that the service ships: CAIP-19 name, symbol, decimals. */
  readonly tokens: readonly (readonly [id: string, symbol: string, decimals: number])[];
  /**
   * Tokens that are the coin in another form: CAIP-19 names of the token and of the coin, which has the same decimals.
   * SECURITY: limits on the coin count them. Without a row, wrapping the coin would lead past its limit.
   */
  readonly coinTokens: readonly (readonly [token: string, coin: string])[];
}

export interface AssetKind {
  /** The CAIP-19 asset namespace, for example `erc20`. */
  readonly standard: string;
  /** What error texts show, for example `erc20:<address>`. */
  readonly example: string;
  /** The canonical asset reference. Undefined or a ChainError for an invalid one. */
  readonly normalize: (reference: string) => string | undefined;
  /** Assets of contracts, which an organization can add to its token list. */
  readonly isContract?: true;
  /** Decimals that every asset of this kind has. */
  readonly decimals?: number;
}

/** SECURITY: these rules decide which amounts count against the signer. When in doubt, choose the value that counts more. */
interface EffectRules {
  /** Whether the signer can spend from addresses other than the one that signs. */
  readonly spendsFromOtherAddresses: boolean;
  /** Whether a call can spend more of the coin than its effects show. */
  readonly callsCanSpendMore: boolean;
  /** Whether the receiving address of a transfer also controls what it receives. */
  readonly receiverIsOwner: boolean;
  /** The addresses other than its own at which a key holds a token, if the chain has them. */
  readonly holdsTokensOf?: (signer: string, asset: string) => readonly string[];
}

/** Checks and freezes one entry of the table. */
export function defineChain<Id extends ChainId>(chain: Chain<Id>): Chain<Id> {
  return Object.freeze(chain);
}

/** The coin of a chain as an asset kind, by its SLIP-44 number. */
export function coinKind(number: number): AssetKind {
  const text = String(number);
  return { standard: 'slip44', example: `slip44:${text}`, normalize: (reference) => (reference === text ? text : undefined) };
}
