import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Handle,
  type Library,
  type Pkcs11Package,
  templateOf,
} from '../../packages/server/src/vault/root-key/providers/pkcs11/library.ts';
import { tokenClient } from '../../packages/server/src/vault/root-key/providers/pkcs11/token-client.ts';

import { type Pkcs11Key, readPkcs11Key } from '../../packages/server/src/vault/root-key/providers/pkcs11/uri.ts';
import { pkcs11RootKey } from '../../packages/server/src/vault/root-key/providers/pkcs11.ts';
import { describeRootKeyProvider } from '../../packages/server/test/vault/root-key/provider-suite.ts';
import { makeDataDirectory } from '../support/data-directory.ts';
import { PIN, SoftHsm, threadFiles } from './softhsm.ts';

/** One configuration for the process: a library reads its environment when it is loaded. */
const hsm = new SoftHsm(makeDataDirectory('softhsm'));
process.env.SOFTHSM2_CONF = hsm.configFile;

let tokens = 0;
function newToken(settings: Partial<Parameters<typeof readPkcs11Key>[0]> = {}): Pkcs11Key {
  const label = `token ${++tokens}`;
  hsm.initToken(label);
  return readPkcs11Key({ pkcs11Uri: label, pkcs11Module: hsm.library, pkcs11PinFile: hsm.pinFile, ...settings });
}

describeRootKeyProvider('PKCS #11 (SoftHSM2)', async ({ directory }) => {
  const key = newToken();
  const wrongSecret = '111999';
  const wrongPinFile = join(directory, 'wrong-pin');
  writeFileSync(wrongPinFile, wrongSecret, { mode: 0o600 });
  return {
    node: () => pkcs11RootKey(key, threadFiles),
    withWrongCredentials: () => pkcs11RootKey({ ...key, pinFile: wrongPinFile }, threadFiles),
    wrongSecret,
    next() {
      const next = () => pkcs11RootKey({ ...key, label: 'root-2' }, threadFiles);
      return { target: next(), after: next() };
    },
    async lose() {
      hsm.pullOut();
      return async () => hsm.plugIn();
    },
    async stall() {
      const end = hsm.stall();
      return async () => end();
    },
  };
});

/** A node of a new token, and the SoftHSM2 session that a test looks at it with. */
function inspect({ selector: { token = '' } }: Pkcs11Key) {
  const ck = createRequire(import.meta.url)('pkcs11js') as Pkcs11Package;
  const library = new ck.PKCS11();
  library.load(hsm.library);
  const slot = library.C_GetSlotList(true).find((each) => library.C_GetTokenInfo(each).label.trim() === token) as Handle;
  return { ck, library, slot };
}

function changePin(key: Pkcs11Key, from: string, to: string): void {
  const { ck, library, slot } = inspect(key);
  const session = library.C_OpenSession(slot, ck.CKF_RW_SESSION | ck.CKF_SERIAL_SESSION);
  library.C_Login(session, ck.CKU_USER, from);
  (library as Library & { C_SetPIN(session: Handle, from: string, to: string): void }).C_SetPIN(session, from, to);
  library.C_CloseSession(session);
}

describe('a key in a PKCS #11 token', () => {
  test('D549: a refused PIN is not sent again, and a corrected file is read without a restart', async () => {
    const pinFile = join(makeDataDirectory('pin'), 'pin');
    const token = newToken();
    const { id } = await pkcs11RootKey(token, threadFiles).create();
    await tokenClient(token, threadFiles).call({ op: 'close' });
    const provider = pkcs11RootKey({ ...token, pinFile }, threadFiles);
    writeFileSync(pinFile, '111999', { mode: 0o600 });
    await expect(provider.find(id)).rejects.toThrow('refused the PIN');
    // The token would take the PIN now, so a rejection shows that it was not sent.
    changePin(token, PIN, '111999');
    await expect(provider.find(id)).rejects.toThrow('which is not tried again');
    changePin(token, '111999', PIN);
    writeFileSync(pinFile, PIN, { mode: 0o600 });
    await expect(provider.find(id)).resolves.toMatchObject({ id });
  });

  test('a PIN file that others can read is rejected', async () => {
    const pinFile = join(makeDataDirectory('pin'), 'pin');
    writeFileSync(pinFile, PIN, { mode: 0o644 });
    const provider = pkcs11RootKey({ ...newToken(), pinFile }, threadFiles);
    await expect(provider.ids()).rejects.toMatchObject({ fix: expect.stringContaining('chmod 600') });
  });

  test('D551: the service makes a key that cannot be extracted, and refuses one that can', async () => {
    const token = newToken();
    const provider = pkcs11RootKey(token, threadFiles);
    await provider.create();
    const { ck, library, slot } = inspect(token);
    const session = library.C_OpenSession(slot, ck.CKF_RW_SESSION | ck.CKF_SERIAL_SESSION);
    onTestFinished(() => library.C_CloseSession(session));
    library.C_FindObjectsInit(session, templateOf(ck, { CKA_LABEL: token.label }));
    const [made] = library.C_FindObjects(session, 2) as [Handle];
    library.C_FindObjectsFinal(session);
    const flags = library.C_GetAttributeValue(session, made, [{ type: ck.CKA_EXTRACTABLE }, { type: ck.CKA_SENSITIVE }]);
    expect(flags.map(({ value }) => value[0])).toEqual([0, 1]);
    const weak = {
      CKA_EXTRACTABLE: true,
      CKA_SENSITIVE: true,
      CKA_LABEL: 'weak',
      CKA_ID: Buffer.alloc(16, 1),
      CKA_VALUE_LEN: 32,
    };
    const usable = { CKA_TOKEN: true, CKA_PRIVATE: true, CKA_ENCRYPT: true, CKA_DECRYPT: true };
    library.C_GenerateKey(session, { mechanism: ck.CKM_AES_KEY_GEN }, templateOf(ck, { ...weak, ...usable }));
    const refusing = pkcs11RootKey({ ...token, label: 'weak' }, threadFiles);
    await expect(refusing.create()).rejects.toThrow('can be extracted from the token');
  });

  test('two tokens that match are not guessed between', async () => {
    const [first] = [newToken(), newToken()];
    const both = pkcs11RootKey({ ...(first as Pkcs11Key), selector: { manufacturer: 'SoftHSM project' } }, threadFiles);
    await expect(both.ids()).rejects.toThrow('tokens match');
  });

  test('a missing package is named with the command that installs it', async () => {
    const missing = { ...threadFiles, resolvePackage: () => createRequire(import.meta.url).resolve('pkcs11js-is-not-here') };
    const provider = pkcs11RootKey({ ...newToken(), modulePath: '/another/library.so' }, missing);
    await expect(provider.ids()).rejects.toMatchObject({ fix: expect.stringContaining('npm install pkcs11js') });
  });
});
