import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { refuseUnknownVariables, settingVariables } from '../../src/config/environment.ts';

const known = new Set(settingVariables);

function configErrorOf(environment: Readonly<Record<string, string | undefined>>): ConfigError {
  try {
    refuseUnknownVariables(environment, known);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('variables of the environment', () => {
  test.each([
    ['COUNTERSIGN_ROOT_PASSPHRAS', 'COUNTERSIGN_ROOT_PASSPHRASE'],
    ['COUNTERSIGN_ROOT_PASSPHRASE_FIEL', 'COUNTERSIGN_ROOT_PASSPHRASE_FILE'],
    ['COUNTERSIGN_ROOTPASSPHRASE_FILE', 'COUNTERSIGN_ROOT_PASSPHRASE_FILE'],
    ['COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_ROOT_PASSPHRASE'],
    ['COUNTERSIGN_TRUSTED_PROXY', 'COUNTERSIGN_TRUSTED_PROXIES'],
    ['COUNTERSIGN_DATABASE_ULR', 'COUNTERSIGN_DATABASE_URL'],
    ['countersign_root_passphrase', 'COUNTERSIGN_ROOT_PASSPHRASE'],
    ['COUNTERSING_ROOT_PASSPHRASE', 'COUNTERSIGN_ROOT_PASSPHRASE'],
    ['COUNTERSIGNROOT_PASSPHRASE', 'COUNTERSIGN_ROOT_PASSPHRASE'],
    ['CONTERSIGN_HOST', 'COUNTERSIGN_HOST'],
  ])('A41: %s is refused, and %s named as the nearest', (name, nearest) => {
    const { message, fix } = configErrorOf({ [name]: 'a secret value' });
    expect(message).toContain(`${name} (the nearest known name is ${nearest})`);
    expect(message + fix).not.toContain('a secret value');
  });

  test('an empty value makes a misspelt name no better; all of them are named at once', () => {
    const { message } = configErrorOf({ COUNTERSIGN_PROT: '', COUNTERSIGN_HOTS: '0.0.0.0', COUNTERSIGN_PORT: '1' });
    expect(message).toContain('COUNTERSIGN_PROT (the nearest known name is COUNTERSIGN_PORT)');
    expect(message).toContain('COUNTERSIGN_HOTS (the nearest known name is COUNTERSIGN_HOST)');
  });

  test('what Kubernetes adds for a Service is refused with its own way out', () => {
    expect(configErrorOf({ COUNTERSIGN_SERVICE_HOST: '10.0.0.1' }).fix).toContain('enableServiceLinks: false');
    expect(configErrorOf({ COUNTERSIGN_PORT_8787_TCP_ADDR: '10.0.0.1' }).fix).toContain('enableServiceLinks: false');
    expect(configErrorOf({ COUNTERSIGN_HOTS: '' }).fix).not.toContain('enableServiceLinks');
  });

  test('known names, names of other programs and unset ones are taken', () => {
    const environment = Object.fromEntries([...known].map((name) => [name, 'value']));
    const others = {
      PATH: '/bin',
      HOST: 'h',
      SIGN_HOST: 'h',
      ENCOUNTER_ID: '1',
      COUNTERSIGNER_URL: 'u',
      COUNTERSIGN_GONE: undefined,
    };
    expect(() => refuseUnknownVariables({ ...environment, ...others }, known)).not.toThrow();
  });
});
