import { expect, test } from 'vitest';
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
