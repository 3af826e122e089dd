import { expect, test } from 'vitest';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { storedBytesOf } from '../../../packages/server/src/pipeline/commit/stored-bytes.ts';
import type { Commit } from '../../../packages/server/src/store/store.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, errorOf, signParams, uniqueName } from '../../support/world.ts';

test('D205: an organization over its daily storage quota gets Retry-After, and others are served', async () => {
  const installation = await engines.sqlite();
  const service = await startService(installation, { config: { maxMegabytesPerSubOrganization: 1 } });
  try {
    const { root } = service;
    const tenants = [(await createSubOrganization(root)).caller, (await createSubOrganization(root)).caller, root] as const;
    const keys = await Promise.all(tenants.map((each) => createPrivateKey(each)));
    const [busy, quiet] = tenants;
    const store = (caller: Caller) => {
      const signWith = keys[tenants.indexOf(caller)] ?? '';
      return caller.submit('signRawPayload', signParams(signWith, uniqueName('Message').padEnd(80_000, '.')));
    };
    const answers: Awaited<ReturnType<typeof store>>[] = [];
    for (let count = 0; count < 20; count++) answers.push(await store(busy));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers[0]?.status).toBe(200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(errorOf(answer)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(await busy.data('listPrivateKeys', {})).toMatchObject({ privateKeys: expect.any(Array) });
    expect([(await store(quiet)).status, (await store(root)).status]).toEqual([200, 200]);
  } finally {
    await service.close();
    await installation.remove();
  }
});

test('D364: the default quotas bound every kind of organization, and honest use stays far below them', async () => {
  const { maxMegabytes, maxMegabytesPerSubOrganization, maxMegabytesOfSubOrganizations } = readConfig({ dataDir: '/unused' }, {});
  const quotas = [maxMegabytes, maxMegabytesPerSubOrganization, maxMegabytesOfSubOrganizations];
  for (const quota of quotas) expect(quota).toBeGreaterThan(0);
  const installation = await engines.sqlite();
  const service = await startService(installation);
  try {
    const { caller, organizationId } = await createSubOrganization(service.root);
    const key = await createPrivateKey(caller);
    const { storage } = service.services.admission;
    const added: number[] = [];
    const { add } = storage;
    storage.add = (owner, bytes) => {
      added.push(bytes);
      add(owner, bytes);
    };
    expect((await caller.submit('signRawPayload', signParams(key))).status).toBe(200);
    storage.add = add;
    // Signatures of a whole day, one each second.
    expect((added[0] ?? 0) * 86_400).toBeLessThan(maxMegabytesPerSubOrganization * 1_000_000);

    const limits = { maxMegabytes, maxMegabytesPerSubOrganization, maxMegabytesOfSubOrganizations };
    const profile = { parentId: service.root.organizationId };
    const home = { id: organizationId, profile };
    const owner = { target: home, home, limits, isPublic: () => false, isEssential: () => false };
    storage.add(owner, maxMegabytesPerSubOrganization * 1_000_000);
    const refused = await caller.submit('signRawPayload', signParams(key));
    expect(errorOf(refused)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(refused.body.message).toContain('maxMegabytesPerSubOrganization');
    // Users can still sign in and delete, and others are served.
    expect((await caller.submit('stampLogin', { publicKey: newApiKey().publicKey })).status).toBe(200);
    const deletion = { privateKeyIds: [key], deleteWithoutExport: true };
    expect((await caller.submit('deletePrivateKeys', deletion)).status).toBe(200);
    expect((await service.root.submit('signRawPayload', signParams(await createPrivateKey(service.root)))).status).toBe(200);
  } finally {
    await service.close();
    await installation.remove();
  }
});

test('D363: every row that a commit stores is counted, also those of spending limits and events', () => {
  const mac = new Uint8Array(32);
  const base = { organizationId: 'o', expected: { version: 1, mac }, writes: [] };
  const point = {
    organizationId: 'o',
    bucket: 'b'.repeat(100),
    revision: 1,
    atMs: 1,
    total: '5',
    activityId: 'a',
    previous: mac,
    mac,
  };
  const claim = { organizationId: 'o', bucket: point.bucket, expected: undefined };
  const counted = (more: Partial<Commit>) => storedBytesOf({ ...base, ...more });
  expect(counted({})).toBe(0);
  expect(counted({ usage: [claim] })).toBe(0);
  expect(counted({ usage: [{ ...claim, next: point }] })).toBe(1 + 100 + 8 + 8 + 1 + 1 + 32 + 32);
  expect(counted({ usage: Array(500).fill({ ...claim, next: point }) })).toBe(500 * 183);
  const body = 'Ω'.repeat(1000);
  expect(counted({ writes: [{ op: 'put', table: 'event_bodies', row: { organizationId: 'o', id: 'i', body } }] })).toBe(2002);
  const secret = { organizationId: 'o', id: 'i', ciphertext: new Uint8Array(50) };
  expect(counted({ writes: [{ op: 'put', table: 'secrets', row: secret }] })).toBe(52);
  expect(counted({ writes: [{ op: 'delete', table: 'secrets', row: secret }] })).toBe(0);
  const entry = { organizationId: 'o', activityId: 'a', revision: 0, format: 2, body: 'x'.repeat(300), mac };
  expect(counted({ logEntry: entry })).toBe(2 + 16 + 300 + 32);
});
