import type { Curve } from '@countersign/chains';
import { describe, expect, test } from 'vitest';
import { generatePrivateKeys } from '../../src/activities/keys/new-private-keys.ts';
import { recordAccounts } from '../../src/activities/wallets/new-accounts.ts';
import { generateWallet } from '../../src/activities/wallets/new-wallet.ts';
import type { RunContext } from '../../src/pipeline/plan/executor.ts';
import { keysByCurve } from '../../src/vault/curves/by-curve.ts';
import { derivePublicKeys } from '../../src/vault/keys/derive.ts';
import { loadNativeSecp256k1 } from '../../src/vault/secp256k1/native.ts';
import { turnsDuring } from '../admission/turns-during.ts';
import { Installation } from '../vault/support.ts';

/** As many as one request may ask for. */
const COUNT = 100;
type Context = Pick<RunContext, 'organization' | 'vault' | 'newId' | 'nowMs'>;

/** An organization that has made a key before. */
async function prepare(): Promise<Context> {
  const installation = await Installation.create();
  const vault = await installation.open();
  await installation.addOrganization(vault, 'org');
  let ids = 0;
  const organization = { id: 'org' } as RunContext['organization'];
  const context: Context = { organization, vault, nowMs: 0, newId: () => `id ${++ids}` };
  await generatePrivateKeys(context, 'org', keys('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']).slice(0, 1));
  return context;
}

function keys(curve: Curve, addressFormats: Parameters<typeof generatePrivateKeys>[2][number]['addressFormats']) {
  return Array.from({ length: COUNT }, (_, index) => ({
    privateKeyName: `Key ${index}`,
    curve,
    addressFormats,
    privateKeyTags: [],
  }));
}

// All of them take several slices on any machine. Without slices, nobody has a turn.
describe('D249: others have turns while many keys are made', () => {
  test('private keys with their addresses', async () => {
    const context = await prepare();
    const formats = ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'] as const;
    expect(await turnsDuring(() => generatePrivateKeys(context, 'org', keys('CURVE_SECP256K1', [...formats])))).toBeGreaterThan(
      3,
    );
  });

  test('accounts of a wallet', async () => {
    const context = await prepare();
    const accounts = Array.from({ length: COUNT }, (_, index) => ({
      curve: 'CURVE_ED25519' as const,
      pathFormat: 'PATH_FORMAT_BIP32' as const,
      path: `m/44'/501'/${index}'/0'`,
      addressFormat: 'ADDRESS_FORMAT_SOLANA' as const,
    }));
    const curves = keysByCurve(loadNativeSecp256k1());
    let publicKeys: readonly Uint8Array[] = [];
    const derive = async () => {
      publicKeys = await derivePublicKeys(curves, new Uint8Array(64).fill(1), accounts, 'org');
    };
    expect(await turnsDuring(derive)).toBeGreaterThan(3);
    expect(await turnsDuring(() => recordAccounts(context, 'wallet', accounts, publicKeys))).toBeGreaterThan(3);
  });

  test('all that is made for new sub-organizations takes the turns of the parent that asked, not one more for each of them', async () => {
    const context = await prepare();
    for (const id of ['first', 'second']) await context.vault.service.createDataKey(id);
    const owners: unknown[] = [];
    const { keys: vaultKeys } = context.vault;
    const generate: typeof vaultKeys.generateWallet = (...made) => {
      owners.push(made[4]);
      return vaultKeys.generateWallet(...made);
    };
    const watched = { ...context, vault: { ...context.vault, keys: { ...vaultKeys, generateWallet: generate } } };
    const accounts = [
      {
        curve: 'CURVE_ED25519' as const,
        pathFormat: 'PATH_FORMAT_BIP32' as const,
        path: "m/44'/501'/0'/0'",
        addressFormat: 'ADDRESS_FORMAT_SOLANA' as const,
      },
    ];
    for (const id of ['first', 'second'])
      await generateWallet(watched, id, { walletName: 'Wallet', mnemonicLength: 12, accounts });
    expect(owners).toEqual(['org', 'org']);
  });
});
