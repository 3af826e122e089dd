import { t } from '../types.ts';
import { chainSchemas } from './chains.ts';
import { contacts, effect } from './effects.ts';
import { engineNamespaces } from './engine.ts';
import type { Namespace } from './namespace.ts';
import { anyTransaction, privateKey, secret, wallet, walletAccount } from './organization.ts';
import { isPayment, payments, signings as signingKinds } from './payments.ts';
import { queryOrganization } from './query.ts';
import { transactionKinds } from './transaction-kinds.ts';

const transactions = [...transactionKinds];
const messages = ['SIGN_RAW_PAYLOAD'];
const signings = [...signingKinds];

/** Every namespace of the language, in the order of the reference. The parameters of activities come from the host. */
export const namespaces: readonly Namespace[] = [
  ...engineNamespaces,
  queryOrganization,
  condition('wallet', wallet, 'The wallet that signs, is renamed or is exported', {
    onlyIn: new Set([...signings, 'UPDATE_WALLET', 'EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT']),
    groups: ['holder'],
    example: "wallet.id == '<wallet id>'",
  }),
  condition('wallets', t.list(wallet), 'The wallets of a request that is about several', {
    onlyIn: new Set(['DELETE_WALLETS', 'DELETE_WALLET_ACCOUNTS']),
    groups: ['holder'],
    example: 'wallets.all(w, w.exported)',
  }),
  condition('secrets', t.list(secret), 'The secrets that a request exports or deletes', {
    onlyIn: new Set(['EXPORT_SECRETS', 'DELETE_SECRETS']),
    neverEmpty: true,
    example: "secrets.all(s, s.static_properties.any(p, p.key == 'environment' && p.value == 'staging'))",
  }),
  condition('wallet_account', walletAccount, 'The account that signs or is exported', {
    onlyIn: new Set([...signings, 'EXPORT_WALLET_ACCOUNT']),
    groups: ['signer'],
    example: "wallet_account.address == '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'",
  }),
  condition('private_key', privateKey, 'The private key that signs, is disabled or is exported', {
    onlyIn: new Set([...signings, 'DISABLE_PRIVATE_KEY', 'EXPORT_PRIVATE_KEY']),
    groups: ['holder', 'signer'],
    example: "private_key.tags.contains('<tag id>')",
  }),
  ...chainSchemas.flatMap((chain) => chain.namespaces),
  condition('tx', anyTransaction, 'The transaction to sign, on any chain', {
    onlyIn: new Set(transactions),
    transaction: true,
    example: 'tx.understood && eth.tx.chain_id == 1 && tx.max_cost <= 2 ETH',
  }),
  isPayment,
  payments,
  condition('effects', t.list(effect), 'Everything that the signature does, in the same words on every chain', {
    onlyIn: new Set([...transactions, ...messages]),
    neverEmpty: true,
    unsigned: true,
    transaction: true,
    example: "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'CALL', 'FEE'])",
  }),
  condition('contacts', contacts, 'The addresses that the organization has given a name to', {
    example: 'tx.is_payment && tx.payments.all(p, p.to in contacts.all)',
  }),
];

type Rest = Pick<Namespace, 'onlyIn' | 'groups' | 'neverEmpty' | 'unsigned' | 'transaction' | 'example'>;

function condition(path: string, type: Namespace['type'], doc: string, rest: Rest): Namespace {
  return { path, field: 'condition', type, doc, ...rest };
}
