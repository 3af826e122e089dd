import { expect, test } from 'vitest';
import { newApiKey } from '../support/api-key.ts';
import { describeEngines } from '../support/describe-engines.ts';
import { HERE, OFFICE, only, ownOrganization } from './support.ts';
describeEngines('probe', (subject) => {
  test('login', async () => {
    const { root } = await ownOrganization(subject().service);
    const session = newApiKey();
    await root.result('stampLogin', { publicKey: session.publicKey });
    await root.result('setIpAllowlist', { publicKey: session.publicKey, ...only(HERE) });
    const s = root.with({ key: session });
    await s.result('setIpAllowlist', only(OFFICE));
    const next = newApiKey();
    const a = await s.submit('stampLogin', { publicKey: next.publicKey, invalidateExisting: true });
    console.log(a.status, (await s.query('whoami')).status, (await root.with({ key: next }).query('whoami')).status, (await root.query('whoami')).status);
    expect(1).toBe(1);
  });
});
