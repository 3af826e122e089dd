import { t } from '../types.ts';
import { activityParams } from './activity-params.ts';
import { bitcoinTransaction } from './bitcoin.ts';
import { eip712, eip7702Authorization, ethereumTransaction } from './ethereum.ts';
import type { Namespace } from './namespace.ts';
import { anyTransaction, credential, privateKey, user, wallet, walletAccount } from './organization.ts';
import { solanaTransaction } from './solana.ts';
import { tronTransaction } from './tron.ts';

/** Every namespace of the language, in the order of the reference. */
export const namespaces: readonly Namespace[] = [
  { path: 'approvers', field: 'consensus', type: t.list(user), doc: 'The users who approved, in the order of their approvals' },
  { path: 'credentials', field: 'consensus', type: t.list(credential), doc: 'The credentials they approved with' },
  { path: 'time.now', field: 'time', type: t.timestamp, doc: 'The time of the decision, by the clock of the service' },
  condition('activity.type', t.word('activity.type'), 'The type, with its version'),
  condition(
    'activity.kind',
    t.word('activity.kind'),
    'The type without prefix and version. Activities of the root quorum have none',
  ),
  condition('activity.resource', t.word('activity.resource'), 'What is acted on'),
  condition('activity.action', t.word('activity.action'), 'What is done with it'),
  ...activityParams,
  condition('wallet', wallet, 'The wallet that signs or is exported'),
  condition('wallets', t.list(wallet), 'The wallets of a request on several'),
  condition('wallet_account', walletAccount, 'The account that signs or is exported'),
  condition('private_key', privateKey, 'The private key that signs or is exported'),
  condition('eth.tx', ethereumTransaction, 'The Ethereum transaction to sign'),
  condition('eth.eip_712', eip712, 'The typed data to sign'),
  condition('eth.eip_7702_authorization', eip7702Authorization, 'The delegation to sign'),
  condition('solana.tx', solanaTransaction, 'The Solana transaction to sign'),
  condition('tron.tx', tronTransaction, 'The Tron transaction to sign'),
  condition('bitcoin.tx', bitcoinTransaction, 'The Bitcoin transaction to sign'),
  condition('tx', anyTransaction, 'The transaction to sign, of whatever chain'),
];

/** Sets of words that the language itself closes. The host adds the words that come from its own tables. */
export const builtinVocabularies: Readonly<Record<string, readonly string[]>> = {
  'eth.tx.type': ['LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'],
  'bitcoin.tx.locktime.type': ['Seconds', 'Blocks'],
};

/** Namespaces of which a request has at most one. */
export const exclusiveNamespaces: readonly (readonly string[])[] = [
  ['eth.tx', 'eth.eip_712', 'eth.eip_7702_authorization', 'solana.tx', 'tron.tx', 'bitcoin.tx'],
  ['wallet', 'wallets', 'private_key'],
  ['wallet_account', 'private_key'],
];

function condition(path: string, type: Namespace['type'], doc: string): Namespace {
  return { path, field: 'condition', type, doc };
}
