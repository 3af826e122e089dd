/** Values of the form. */
export interface Answers {
  readonly what: string;
  /** EVM chain id. */
  readonly chainId: string;
  /** Maximum network fee in the coin of the chain; empty for no limit. */
  readonly fee: string;
  /** `any`, `contacts`, or `tag ` and a contact tag. */
  readonly receivers: string;
  /** The name of the asset, such as USDC, or its CAIP-19 name; empty for any. */
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

/** SECURITY: nothing but payments, else an allowance could go along. A maximum needs its asset, because a number of another is worth more. */
function payments({ chainId, fee, receivers, symbol, most }: Answers): string {
  // A word is the name of a shipped asset. Anything else is the CAIP-19 name of one.
  const isName = /^[A-Za-z]\w*$/.test(symbol);
  const asset = isName ? symbol : quoted(symbol);
  const each = [
    symbol !== '' && `p.asset == ${asset}`,
    receivers === 'contacts' && 'p.to in contacts.all',
    receivers.startsWith('tag ') && `p.to in contacts.tagged(${quoted(receivers.slice(4))})`,
  ].filter((part) => part !== false);
  const lines = [
    chainId !== '' && `eth.tx.chain_id == ${chainId}`,
    'tx.is_payment',
    chainId !== '' && fee !== '' && `tx.max_fee <= ${fee} ETH`,
    each.length > 0 && `tx.payments.all(p, ${each.join(' && ')})`,
    most !== '' && (isName ? `tx.payments.total(${asset}) <= ${most} ${asset}` : `tx.payments.sum(p, p.amount) <= ${most}`),
  ].filter((line) => line !== false);
  return lines.join('\n  && ');
}
