import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, errorOf } from '../../support/world.ts';
import { login } from '../sign-in/sessions-support.ts';

describeEngines('a key that a newer one evicts', (subject) => {
  const root = () => subject().service.root;

  /** The warnings of an activity. */
  async function warningsOf(caller: Caller, activityId: string): Promise<readonly string[]> {
    return (await caller.data('getActivity', { activityId })).activity.warnings ?? [];
  }

  test('D285: the eleventh sign-in names the session that it ends, and that session gets its own error', async () => {
    const { caller } = await createMember(root());
    const sessions: Caller[] = [];
    for (let count = 0; count < 10; count++) sessions.push(await login(caller));
    const [oldest, second] = sessions as [Caller, Caller];
    const answer = await caller.submit('stampLogin', { publicKey: newApiKey().publicKey });
    const warnings = await warningsOf(caller, answer.body.activity.id);
    expect(warnings).toEqual([expect.stringMatching(/^Evicted the API key [0-9a-f-]{36} \("Login/)]);
    const evicted = await oldest.query('whoami');
    expect(errorOf(evicted)).toEqual({ status: 401, code: 'API_KEY_EVICTED' });
    expect(evicted.body.message).toContain('could not find public key in organization or its parent organization');
    const compatible = await oldest.with({ dialect: 'turnkey' }).query('whoami');
    expect(errorOf(compatible)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    // Someone without the private key learns nothing, and the other sessions go on.
    const forged = oldest.with({ key: { ...newApiKey(), publicKey: oldest.key.publicKey } });
    expect(errorOf(await forged.query('whoami'))).toEqual({ status: 401, code: 'SIGNATURE_INVALID' });
    expect((await second.query('whoami')).status).toBe(200);
  });

  test('D285: an expiring API key is named too, and a deleted key is only unknown', async () => {
    const { caller, userId } = await createMember(root());
    const keys = Array.from({ length: 11 }, () => newApiKey());
    const added: string[] = [];
    let warnings: readonly string[] = [];
    for (const key of keys) {
      const apiKeys = [apiKeyParams(key, { expirationSeconds: '3600' })];
      const answer = await caller.submit('createApiKeys', { userId, apiKeys });
      added.push(resultOf(answer).apiKeyIds[0]);
      warnings = await warningsOf(caller, answer.body.activity.id);
    }
    expect(warnings).toEqual([expect.stringContaining(added[0] as string)]);
    const codeOf = async (index: number) =>
      errorOf(await caller.with({ key: keys[index] as (typeof keys)[0] }).query('whoami')).code;
    expect(await codeOf(0)).toBe('API_KEY_EVICTED');
    await caller.result('deleteApiKeys', { userId, apiKeyIds: [added[1] as string] });
    expect(await codeOf(1)).toBe('PUBLIC_KEY_NOT_FOUND');
    // A key that is registered again works again.
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(keys[0] as (typeof keys)[0])] });
    expect(await codeOf(0)).toBeUndefined();
  });
});
