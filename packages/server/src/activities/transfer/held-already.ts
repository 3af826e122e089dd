import type { Curve } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { AccountDerivation } from '../../vault/vault.ts';

type Context = Pick<RunContext, 'organization' | 'resources' | 'vault'>;

/** A wallet of the organization and one of its public keys. A phrase that derives this key at this path is the phrase of the wallet. */
export interface KnownWallet extends AccountDerivation {
  readonly walletId: string;
  readonly publicKey: string;
}

/** Derivation to compare for a wallet without accounts. */
const SOME_ACCOUNT = { curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0" } as const;

/** Returns the wallets to compare an imported phrase with. SECURITY: only public keys are compared; no phrase leaves the vault. */
export async function knownWallets({ organization, resources, vault }: Context): Promise<KnownWallet[]> {
  const accounts = await resources.list(organization.id, 'walletAccount');
  const byWallet = new Map(accounts.map(({ body }) => [body.walletId, body]));
  const known: KnownWallet[] = [];
  for (const { id: walletId } of await resources.list(organization.id, 'wallet')) {
    const account = byWallet.get(walletId);
    if (account !== undefined) {
      known.push({ walletId, curve: account.curve, path: account.path, publicKey: account.publicKey });
      continue;
    }
    const [publicKey] = await vault.keys.deriveAccounts(organization.id, walletId, [SOME_ACCOUNT]);
    known.push({ walletId, ...SOME_ACCOUNT, publicKey: Buffer.from(publicKey as Uint8Array).toString('hex') });
  }
  return known;
}

/** Returns the distinct derivations to compute from an imported phrase for the comparison. */
export function placesOf(wallets: readonly KnownWallet[]): AccountDerivation[] {
  return [...new Map(wallets.map(({ curve, path }) => [placeKey({ curve, path }), { curve, path }])).values()];
}

/** Returns the wallet whose phrase derives these public keys, or undefined. */
export function walletWith(
  wallets: readonly KnownWallet[],
  places: readonly AccountDerivation[],
  publicKeys: readonly Uint8Array[],
): string | undefined {
  const derived = new Map(places.map((place, index) => [placeKey(place), Buffer.from(publicKeys[index] ?? []).toString('hex')]));
  return wallets.find((wallet) => derived.get(placeKey(wallet)) === wallet.publicKey)?.walletId;
}

/** Describes the private key or wallet account with this public key. Undefined if the organization has none. */
export async function keyWith(
  { organization, resources }: Context,
  curve: Curve,
  publicKey: Uint8Array,
): Promise<string | undefined> {
  const wanted = Buffer.from(publicKey).toString('hex');
  const isSame = ({ body }: { readonly body: { readonly curve: Curve; readonly publicKey: string } }) =>
    body.curve === curve && body.publicKey === wanted;
  const key = (await resources.list(organization.id, 'privateKey')).find(isSame);
  if (key !== undefined) return `private key ${key.id}`;
  const account = (await resources.list(organization.id, 'walletAccount')).find(isSame);
  return account && `wallet account ${account.id} of wallet ${account.body.walletId}`;
}

/** Error for importing a key that the organization already has. */
export function heldAlready(what: string): ServiceError {
  return new ServiceError('KEY_TAKEN', `The organization already has this key: ${what}. Nothing was imported.`);
}

function placeKey({ curve, path }: AccountDerivation): string {
  return `${curve} ${path}`;
}
