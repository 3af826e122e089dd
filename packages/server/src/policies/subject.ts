import type { ParsedTransaction } from '@countersign/chains';
import type { Resource } from '../organizations/records.ts';
import type { SigningKey } from '../organizations/resources.ts';

/** What a transaction or a typed message was understood as. */
export type ParsedSubject = Pick<ParsedTransaction, 'namespace' | 'policy' | 'description' | 'fullyParsed' | 'unparsed'>;

/** What policies can ask about the object of an activity. */
export interface PolicySubject {
  /** The key that is to sign. */
  readonly key?: SigningKey;
  /** The wallet that the key belongs to, or that the activity is about. */
  readonly wallet?: Resource<'wallet'>;
  /** The wallets that the activity is about, where it takes several. */
  readonly wallets?: readonly Resource<'wallet'>[];
  /** What it is to sign, where that has a meaning. */
  readonly parsed?: ParsedSubject;
  /** The object that a one-time key must have been made for. */
  readonly oneTimeSubjectId?: string;
  /** The one user whose credentials the activity changes. */
  readonly credentialsOf?: string;
}
