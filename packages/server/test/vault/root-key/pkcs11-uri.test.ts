import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { readPkcs11Key } from '../../../src/vault/root-key/providers/pkcs11/uri.ts';

const rest = { pkcs11Module: '/lib/hsm.so', pkcs11PinFile: '/run/pin' };

describe('the PKCS #11 token in the settings', () => {
  test('is named by its label', () => {
    expect(readPkcs11Key({ pkcs11Uri: 'my token', ...rest })).toEqual({
      modulePath: '/lib/hsm.so',
      selector: { token: 'my token' },
      label: 'countersign',
      pinFile: '/run/pin',
    });
  });

  test('is named by an RFC 7512 URI, with percent-encoding, library and PIN file', () => {
    const uri =
      'pkcs11:token=my%20token;serial=01:23;manufacturer=ACME;model=X;slot-id=5;object=root%3b2;type=secret-key?module-path=/lib/a.so&pin-source=file:/run/my%20pin';
    expect(readPkcs11Key({ pkcs11Uri: uri })).toEqual({
      modulePath: '/lib/a.so',
      selector: { token: 'my token', serial: '01:23', manufacturer: 'ACME', model: 'X', 'slot-id': '5' },
      label: 'root;2',
      pinFile: '/run/my pin',
    });
    expect(readPkcs11Key({ pkcs11Uri: 'pkcs11:serial=1?pin-source=/run/pin', pkcs11Module: '/m' }).pinFile).toBe('/run/pin');
  });

  test.each([
    ['no token', 'pkcs11:object=root'],
    ['an empty token', 'pkcs11:token='],
    ['an attribute twice', 'pkcs11:token=a;token=b'],
    ['an unknown attribute', 'pkcs11:token=a;library-version=3'],
    ['an unknown query attribute', 'pkcs11:token=a?module-name=hsm'],
    ['another type', 'pkcs11:token=a;type=private'],
    ['a broken encoding', 'pkcs11:token=%zz'],
  ])('D550: %s in a URI is rejected', (_, pkcs11Uri) => {
    expect(() => readPkcs11Key({ pkcs11Uri, ...rest })).toThrow(ConfigError);
  });

  test('D550: a PIN in a URI is rejected, and not repeated', () => {
    const read = () => readPkcs11Key({ pkcs11Uri: 'pkcs11:token=a?pin-value=739201', ...rest });
    expect(read).toThrow('contains a PIN');
    expect(read).not.toThrow('739201');
  });

  test('needs a library and a file with the PIN', () => {
    expect(() => readPkcs11Key({ pkcs11Uri: 'a', pkcs11PinFile: '/run/pin' })).toThrow('library');
    expect(() => readPkcs11Key({ pkcs11Uri: 'a', pkcs11Module: '/m' })).toThrow('PIN');
    expect(() => readPkcs11Key({ pkcs11Uri: 'pkcs11:token=a?pin-source=|/bin/pin', pkcs11Module: '/m' })).toThrow('not a file');
  });
});
