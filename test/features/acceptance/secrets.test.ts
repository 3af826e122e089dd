import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { beforeAll, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { type ApiKey, newApiKey, type StampKind, stampKinds } from '../../support/api-key.ts';
import { describeEngines, type Subject } from '../../support/describe-engines.ts';
import { openSecrets } from '../../support/open-secrets.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  signParams,
  uniqueName,
} from '../../support/world.ts';

/** Every encoding in which a secret might appear. */
function spellings(bytes: Uint8Array): Buffer[] {
  const buffer = Buffer.from(bytes);
  const number = BigInt(`0x${buffer.toString('hex')}`).toString();
  const texts = [
    buffer.toString('hex'),
    buffer.toString('hex').toUpperCase(),
    buffer.toString('base64'),
    buffer.toString('base64url'),
    number,
  ];
  // A list of byte values, as JSON or a logger writes an array. The middle part is enough to recognize it.
  const list = [...buffer.subarray(4, 20)].join(',');
  return [buffer, ...texts.map((text) => Buffer.from(text)), Buffer.from(list), Buffer.from(list.replaceAll(',', ', '))];
}

const curves = ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'];

/** Runs a bit of everything, failures included. */
async function liveAWhile({ service, raw }: Subject): Promise<ApiKey[]> {
  const { root } = service;
  const keys: ApiKey[] = [root.key];
  for (const scheme of Object.keys(stampKinds) as StampKind[]) keys.push((await createMember(root, scheme)).caller.key);
  const { caller } = await createSubOrganization(root);
  keys.push(caller.key);
  for (const curve of curves) {
    const key = await createPrivateKey(caller, curve);
    await caller.submit('signRawPayload', signParams(key));
  }
  const { addresses } = await createWallet(caller, 2);
  await caller.submit('signRawPayload', signParams(addresses[0] as string));
  await caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [], mnemonicLength: 24 });
  // Failures leak most: a malformed request, a denied one, a key pasted into the wrong field, and state that does not verify.
  await caller.send('/public/v1/query/whoami', '{');
  await (await createMember(caller)).caller.submit('signRawPayload', signParams(addresses[1] as string));
  const pasted = newApiKey();
  keys.push(pasted);
  await caller.submit('createApiKeys', {
    userId: 'x',
    apiKeys: [apiKeyParams({ ...pasted, publicKey: `${pasted.privateKey}00` })],
  });
  await caller.send('/public/v1/query/whoami', '{}', { 'x-stamp': `${pasted.privateKey}.${pasted.privateKey}` });
  const broken = await createPrivateKey(caller);
  await raw.run('UPDATE secrets SET ciphertext = ? WHERE id = ?', Buffer.alloc(60, 1), broken);
  await caller.submit('signRawPayload', signParams(broken));
  await raw.run('DELETE FROM secrets WHERE id = ?', broken);
  return keys;
}

describeEngines('D61: secrets stay secret', (subject) => {
  /** What must not be found, by name. */
  const secrets = new Map<string, Buffer[]>();
  const places = new Map<string, Buffer>();

  beforeAll(async () => {
    const { service, installation, raw } = subject();
    secrets.clear();
    const apiKeys = await liveAWhile(subject());
    for (const [index, { privateKey }] of apiKeys.entries())
      secrets.set(`API key ${index}`, spellings(Buffer.from(privateKey, 'hex')));
    for (const { kind, id, bytes, mnemonic } of await openSecrets(installation)) {
      const forms = kind === 'privateKey' ? spellings(bytes) : [];
      if (mnemonic !== undefined) {
        const words = mnemonic.split(' ');
        forms.push(
          Buffer.from(words.slice(0, 4).join(' ')),
          Buffer.from(words.slice(-4).join(' ')),
          Buffer.from(words.slice(0, 4).join('","')),
        );
        forms.push(...spellings(mnemonicToSeedSync(mnemonic)), ...spellings(bytes.slice(2, bytes.length - 64)));
      }
      secrets.set(`${kind} ${id}`, forms);
    }
    const rootKey = readFileSync(join(installation.directory, 'root.key'), 'utf8').trim();
    secrets.set('the root key', spellings(Buffer.from(rootKey, 'hex')));
    places.set('the log', Buffer.from(service.logText()));
    places.set('the database', await raw.dump());
    places.set('the metrics', Buffer.from(await (await fetch(`${service.url}/metrics`)).text()));
    places.set('the doctor’s findings', Buffer.from(JSON.stringify(await runDoctor(service.config))));
    const own = new Set(['root.key', 'credentials.json']);
    for (const name of readdirSync(installation.directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(installation.directory, name);
      if (!own.has(name) && statSync(path, { throwIfNoEntry: false })?.isFile()) places.set(name, readFileSync(path));
    }
  });

  test('the search has data and finds known values', async () => {
    expect(secrets.size).toBeGreaterThan(12);
    expect(places.get('the log')?.includes(Buffer.from('stored state does not verify'))).toBe(true);
    const { root } = subject().service;
    expect(places.get('the database')?.includes(Buffer.from(root.key.publicKey))).toBe(true);
    const credentials = readFileSync(join(subject().installation.directory, 'credentials.json'));
    const [, , lowerHex] = [0, ...(secrets.get('API key 0') as Buffer[])];
    expect(credentials.includes(lowerHex as Buffer)).toBe(true);
  });

  test('no private key, recovery phrase, seed or API key is in the log, the database, the metrics or any other file', () => {
    const found: string[] = [];
    for (const [place, content] of places) {
      for (const [what, forms] of secrets) if (forms.some((form) => content.includes(form))) found.push(`${what} in ${place}`);
    }
    expect(found).toEqual([]);
  });
});
