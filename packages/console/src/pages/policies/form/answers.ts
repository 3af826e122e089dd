/** What the policy is about. A table of words names each. */
export const subjects = ['payments', 'anySignature', 'wallets', 'people'] as const;

export type Subject = (typeof subjects)[number];

/** Values of the form. An empty text means any, or no maximum. */
export interface Answers {
  readonly what: Subject;
  /** The wallet that signs. */
  readonly walletId: string;
  /** CAIP-2 name of the network. Empty for the home network of the asset. */
  readonly network: string;
  /** The name of a shipped asset, such as USDC, or the CAIP-19 name of another. */
  readonly asset: string;
  readonly receivers: 'any' | 'contacts' | 'tag' | 'addresses';
  /** The contact tag, if the receivers are those with a tag. */
  readonly contactTag: string;
  readonly addresses: readonly string[];
  /** A decimal number of the asset, or an integer of base units if the asset has no name. */
  readonly most: string;
  /** Maximum network fee in the coin of the network. */
  readonly fee: string;
  /** The identifiers of the spending limits that must hold. */
  readonly limits: readonly string[];
  readonly approvals: number;
  /** Id of the tag that approvers must have. */
  readonly tagId: string;
}

/** The form of a new policy. */
export const blankAnswers: Answers = {
  what: 'payments',
  walletId: '',
  network: 'eip155:1',
  asset: 'USDC',
  receivers: 'contacts',
  contactTag: '',
  addresses: [],
  most: '',
  fee: '0.02',
  limits: [],
  approvals: 2,
  tagId: '',
};
