import type { Answers } from './answers.ts';
import { assetId, chainIdOf, feeUnit, isAssetName } from './networks.ts';

/** String literal of the policy language. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The conditions that do not depend on other values. */
export const fixedConditions: Readonly<Record<Exclude<Answers['what'], 'payments'>, string>> = {
  anySignature: "activity.action == 'SIGN'",
  wallets: "activity.kind in ['CREATE_WALLET', 'CREATE_WALLET_ACCOUNTS']",
  people: "activity.kind in ['CREATE_INVITATIONS', 'UPDATE_USER', 'DELETE_USERS']",
};

/** Whether a policy about this says which wallet signs. */
export const namesWallet = (what: Answers['what']) => what === 'payments' || what === 'anySignature';

/** Generates a policy from the values of the form. */
export function writePolicy(answers: Answers): { readonly condition: string; readonly consensus: string } {
  const { what, walletId } = answers;
  const lines = [
    namesWallet(what) && walletId !== '' && `wallet.id == ${quoted(walletId)}`,
    ...(what === 'payments' ? payments(answers) : [fixedConditions[what]]),
  ].filter((line) => line !== false);
  return { condition: lines.join('\n  && '), consensus: consensus(answers) };
}

function consensus({ approvals, tagId }: Answers): string {
  if (tagId === '') return approvals <= 1 ? '' : `approvers.count() >= ${approvals}`;
  const hasTag = `user, user.tags.contains(${quoted(tagId)})`;
  return approvals <= 1 ? `approvers.any(${hasTag})` : `approvers.filter(${hasTag}).count() >= ${approvals}`;
}

/** SECURITY: nothing but payments, else an allowance could go along. A maximum needs its asset, because a number of another is worth more. */
function payments(answers: Answers): readonly (string | false)[] {
  const { network, asset, most, fee, limits } = answers;
  const chainId = chainIdOf(network);
  const isName = isAssetName(asset);
  const literal = isName ? asset : quoted(asset);
  const each = [asset !== '' && `p.asset == ${isName ? assetLiteral(asset, network) : literal}`, receiverRule(answers)].filter(
    (part) => part !== false,
  );
  return [
    chainId !== undefined && `eth.tx.chain_id == ${chainId}`,
    'tx.is_payment',
    fee !== '' && `tx.max_fee <= ${fee} ${feeUnit(answers)}`,
    each.length > 0 && `tx.payments.all(p, ${each.join(' && ')})`,
    asset !== '' && most !== '' && `tx.payments.total(${literal}) <= ${most}${isName ? ` ${asset}` : ''}`,
    ...limits.map((name) => `controls.${name}`),
  ];
}

function assetLiteral(name: string, network: string): string {
  const id = assetId(name, network);
  return id === undefined ? name : quoted(id);
}

function receiverRule({ receivers, contactTag, addresses }: Answers): string | false {
  switch (receivers) {
    case 'any':
      return false;
    case 'contacts':
      return 'p.to in contacts.all';
    case 'tag':
      return `p.to in contacts.tagged(${quoted(contactTag)})`;
    case 'addresses':
      return `p.to in [${addresses.map(quoted).join(', ')}]`;
  }
}
