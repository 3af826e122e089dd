import type { Effect } from '../effects/effect.ts';
import type { TokenList } from '../effects/token-list.ts';
import type { Content, FieldSpec, MessageSpec } from './protobuf.ts';

/** One kind of contract that a transaction may carry. The contract and its fields have the protocol's names. */
export interface ContractType {
  /** The kind's number in the protocol's enum. */
  readonly number: number;
  readonly message: MessageSpec;
  /** All effects of the contract except the fee. */
  effects(contract: Content, tokens: TokenList | undefined): readonly Effect[];
  /** Why the effects do not tell everything that will happen. Undefined if they do. */
  unparsed?(contract: Content, tokens: TokenList | undefined): string | undefined;
  /** Policies of language 1 were written when this contract was refused. */
  readonly newInLanguage2?: true;
  /** What it may cost beyond bandwidth. */
  readonly runsCode?: true;
  readonly mayCreateAccount?: true;
  readonly changesPermissions?: true;
}

/** A field of a contract. */
export const field = (number: number, name: string, reader: FieldSpec['reader'], how: Partial<FieldSpec> = {}): FieldSpec => ({
  number,
  name,
  reader,
  ...how,
});
