import { formatVerifierKey, verifierKeyOf } from '@countersign/tlog';
import { describe, expect, test } from 'vitest';
import { organization } from '../../../../judgement/test/support/world.ts';
import {
  factorAdvice,
  hasOpenQuorum,
  networkAdvice,
  quorumAdvice,
  usersWithoutFactors,
} from '../../../src/commands/doctor/advice.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import type { OrganizationRecord } from '../../../src/organizations/records.ts';

type Flags = Parameters<typeof readConfig>[0];

const checksFor = (flags: Flags) => networkAdvice(readConfig(flags, {})).map(({ check }) => check);

const witnessKey = formatVerifierKey(verifierKeyOf({ name: 'w', type: 'cosignature', seed: new Uint8Array(32).fill(1) }));

describe('advice on the network', () => {
  test.each<[string, Flags, readonly string[]]>([
    ['the defaults', {}, []],
    ['another loopback address', { host: '127.8.8.8' }, []],
    ['loopback of IPv6', { host: '::1' }, []],
    ['localhost', { host: 'localhost' }, []],
    ['a witness over https', { witnesses: `https://w.example#${witnessKey}` }, []],
    ['a witness on this machine', { witnesses: `http://[::1]:8788#${witnessKey}` }, []],
    ['a witness over plain HTTP', { witnesses: `http://w.example#${witnessKey}` }, ['witness']],
    ['all addresses', { host: '0.0.0.0' }, ['network']],
    ['all addresses of IPv6', { host: '::' }, ['network']],
    ['an address of the network', { host: '192.168.1.5' }, ['network']],
    ['a host name', { host: 'keys.internal' }, ['network']],
    ['a trusted proxy in front', { host: '0.0.0.0', trustedProxies: '10.0.0.1/32' }, []],
    ['a trusted proxy on this machine', { trustedProxies: '127.0.0.1/32' }, []],
    ['every origin on this machine', { allowedOrigins: '*' }, ['browser origins']],
    ['named origins', { host: '0.0.0.0', allowedOrigins: 'https://app.example.com' }, ['network']],
    ['a proxy and named origins', { host: '0.0.0.0', trustedProxies: '10.0.0.1/32', allowedOrigins: 'https://a.example' }, []],
    [
      'every origin among named ones',
      { trustedProxies: '127.0.0.1/32', allowedOrigins: 'https://a.example,*' },
      ['browser origins'],
    ],
  ])('%s', (_, flags, checks) => {
    expect(checksFor(flags)).toEqual(checks);
  });

  test('each says what was found, why it matters and what to do', () => {
    const [network, origins] = networkAdvice(readConfig({ host: '0.0.0.0', allowedOrigins: '*' }, {}));
    expect(network?.detail).toMatch(/listens on 0\.0\.0\.0 with plain HTTP .* can read requests/);
    expect(network?.fix).toMatch(/TLS proxy .*--trusted-proxies.* 127\.0\.0\.1/);
    expect(origins?.detail).toMatch(/--allowed-origins is \*/);
    expect(origins?.fix).toContain('--allowed-origins');
  });
});

describe('advice on root quorums', () => {
  const organization = (
    threshold: number,
    userIds: readonly string[],
    more: Partial<OrganizationRecord> = {},
  ): OrganizationRecord => ({
    name: 'Acme',
    parentId: null,
    rootQuorum: { threshold, userIds },
    features: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    ...more,
  });

  test('a quorum is open where one of several suffices', () => {
    expect(hasOpenQuorum(organization(1, ['a', 'b']))).toBe(true);
    expect(hasOpenQuorum(organization(1, ['a']))).toBe(false);
    expect(hasOpenQuorum(organization(2, ['a', 'b']))).toBe(false);
    expect(hasOpenQuorum(organization(1, ['a', 'b'], { deletedAtMs: 1 }))).toBe(false);
  });

  test('one organization is named, several are counted', () => {
    expect(quorumAdvice([])).toEqual([]);
    expect(quorumAdvice(['x'])).toMatchObject([
      { check: 'root quorum', detail: expect.stringMatching(/^organization x has several root users/) },
    ]);
    expect(quorumAdvice(['x', 'y', 'z'])).toMatchObject([
      { detail: expect.stringMatching(/^3 organizations, including x, have/) },
    ]);
  });
});

test('D290: users who cannot meet one of their MFA policies are reported', () => {
  const world = organization([{ id: 'one' }, { id: 'two' }, { id: 'second', key: { userId: 'two' } }]);
  const steps = (['API_KEY', 'SESSION'] as const).map((kind) => ({ any: [{ type: `AUTHENTICATION_TYPE_${kind}` as const }] }));
  const policy = (userId: string) => ({
    userId,
    mfaPolicyName: 'MFA',
    condition: 'true',
    requiredAuthenticationMethods: steps,
    order: 0,
    createdAtMs: 0,
    updatedAtMs: 0,
  });
  const mfaPolicy = new Map(['one', 'two'].map((userId) => [`${userId}-policy`, policy(userId)]));
  const found = usersWithoutFactors({ ...world, records: { ...world.records, mfaPolicy } });
  expect(found).toEqual(['one']);
  expect(factorAdvice(found)).toMatchObject([{ check: 'MFA policies', detail: expect.stringContaining('user one has') }]);
  expect(factorAdvice([])).toEqual([]);
});
