import { accountAddress } from '@countersign/chains';
import type { PolicyValue } from '@countersign/policy';
import type { JudgedKey, JudgedPrivateKey, JudgedSecret, JudgedWallet } from './organization.ts';

/** The namespaces of a key and of the wallet that it belongs to, or that an activity is about. */
export function keyNamespaces(key: JudgedKey | undefined, wallet: JudgedWallet | undefined): Record<string, PolicyValue> {
  const namespaces: Record<string, PolicyValue> = {};
  if (key?.kind === 'privateKey') namespaces.private_key = privateKeyView(key);
  if (key?.kind === 'walletAccount') namespaces.wallet_account = { address: accountAddress(key.body) };
  if (wallet !== undefined) namespaces.wallet = walletView(wallet);
  return namespaces;
}

export function walletView({ id, body: { imported, exported, walletName } }: JudgedWallet): PolicyValue {
  return { id, imported, exported, label: walletName };
}

export function secretView({ id, body: { name = '', staticProperties, exported } }: JudgedSecret): PolicyValue {
  return { id, label: name, exported, static_properties: staticProperties.map(({ key, value }) => ({ key, value })) };
}

function privateKeyView({ id, body: { privateKeyTags, imported, exported, privateKeyName } }: JudgedPrivateKey): PolicyValue {
  return { id, tags: privateKeyTags, imported, exported, label: privateKeyName };
}
