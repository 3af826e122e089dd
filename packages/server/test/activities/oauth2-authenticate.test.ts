import { expect, test } from 'vitest';
import { oauth2Authenticate } from '../../src/activities/sign-in/oauth2-authenticate.ts';
import type { PlanContext } from '../../src/pipeline/plan/executor.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

/** The plan of an exchange in an organization that remembers 10,000 codes until this time. */
function planWith(deadAtMs: number) {
  const used = { userId: 'user', deadAtMs, createdAtMs: 0, updatedAtMs: 0 };
  const usedToken = new Map(Array.from({ length: 10_000 }, (_, at) => [`${at}`, used]));
  const provider = 'OAUTH2_PROVIDER_X';
  const oauth2Credential = new Map([['credential', { provider, clientId: 'client', secretId: 'secret' }]]);
  const organization = { records: { usedToken, oauth2Credential } };
  const context = { organization, oauth2: { provider: () => ({ provider }) }, nowMs: NOW };
  const params = { oauth2CredentialId: 'credential', authCode: 'code' };
  return oauth2Authenticate.plan(context as unknown as PlanContext, params as never);
}

test('D1016: an organization that remembers as many codes as it may accepts others again once those are old', async () => {
  await expect(planWith(NOW - 4 * MINUTE)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await expect(planWith(NOW - 5 * MINUTE)).resolves.toMatchObject({ intent: { authCode: 'code' } });
});
