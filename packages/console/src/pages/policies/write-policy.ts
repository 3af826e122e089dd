/** Values of the form. */
export interface Answers {
  readonly what: string;
  /** EVM chain id; empty for any chain. */
  readonly chainId: string;
  /** Maximum network fee in the coin of the chain; empty for no limit. */
  readonly fee: string;
  /** `any`, `contacts`, or `tag ` and a contact tag. */
  readonly receivers: string;
  /** The symbol of the asset; empty for any. */
  readonly symbol: string;
  /** A decimal number; empty for no limit. */
  readonly most: string;
  readonly approvals: number;
  /** Id of the tag that approvers must have; empty for anyone. */
  readonly tagId: string;
}

/** String literal of the policy language. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const conditions: Readonly<Record<string, string>> = {
  anySignature: "activity.action == 'SIGN'",
  wallets: "activity.kind in ['CREATE_WALLET', 'CREATE_WALLET_ACCOUNTS']",
  people: "activity.kind in ['CREATE_INVITATIONS', 'UPDATE_USER', 'DELETE_USERS']",
};

/** Generates a policy from the values of the form. */
export function writePolicy(answers: Answers): {
  condition: string;
  consensus: string;
} {
  const { what, approvals, tagId } = answers;
  const consensus =
    tagId === ''
      ? approvals === 1
        ? ''
        : `approvers.count() >= ${approvals}`
      : `approvers.filter(user, user.tags.contains(${quoted(tagId)})).count() >= ${approvals}`;
  return { condition: conditions[what] ?? payments(answers), consensus };
}

/** SECURITY: all effects must be understood transfers and fees, else a payment could include an allowance. */
function payments({ chainId, fee, receivers, symbol, most }: Answers): string {
  const each = [
    symbol !== '' && `e.symbol == ${quoted(symbol)}`,
    receivers === 'contacts' && 'e.to in contacts.all',
    receivers.startsWith('tag ') && `e.to in contacts.tagged(${quoted(receivers.slice(4))})`,
  ].filter((part) => part !== false);
  const transfers = "effects.filter(e, e.kind == 'TRANSFER')";
  const lines = [
    chainId !== '' && `eth.tx.chain_id == ${chainId}`,
    "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE'])",
    chainId !== '' && fee !== '' && `tx.max_fee <= ${fee} ETH`,
    each.length > 0 && `${transfers}.all(e, ${each.join(' && ')})`,
    most !== '' && `${transfers}.sum(e, e.amount) <= ${most}${symbol === '' ? '' : ` ${symbol}`}`,
  ].filter((line) => line !== false);
  return lines.join('\n  && ');
}
