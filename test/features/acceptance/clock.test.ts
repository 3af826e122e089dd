import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { acceptClock } from '../../../packages/server/src/commands/accept-clock.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, type Json, post } from '../../support/caller.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { apiKeyParams, createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { newestCode } from '../sign-in/otp-support.ts';
import { readWriteSession } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';

const SECONDS = 1_000;
const HOURS = 3_600_000;

const inbox = await startInbox();
afterAll(() => inbox.stop());

/** A machine whose clock can be set. */
class Machine {
  aheadMs = 0;
  nowMs = () => Date.now() + this.aheadMs;
  elapsedMs = () => performance.now();
}

describe.each(Object.keys(engines) as Engine[])('a clock that is set back on %s', (engine) => {
  let installation: Installation;
  let machine: Machine;
  let running: TestService[];

  beforeEach(async () => {
    installation = await engines[engine]();
    machine = new Machine();
    running = [];
    return async () => {
      for (const service of running) await service.close();
      await installation.remove();
    };
  });

  async function start(system = machine): Promise<TestService> {
    const service = await startService(installation, { system, config: mailSettings(inbox) });
    running.push(service);
    return service;
  }

  async function stop(): Promise<void> {
    for (const service of running.splice(0)) await service.close();
  }

  /** Starts again with the clock set back, and gives the same callers at the new place. */
  async function restartBehind(ms: number): Promise<(caller: Caller) => Caller> {
    await stop();
    machine.aheadMs -= ms;
    const { url } = await start();
    return (caller) => caller.with({ url });
  }

  const whoami = (caller: Caller) => caller.query('whoami');
  const withSession = (caller: Caller, session: string) =>
    post(`${caller.url}${caller.queryPath('whoami')}`, Buffer.from(JSON.stringify({ organizationId: caller.organizationId })), {
      'x-session': session,
    });

  test('A34: expired keys, sessions and codes stay expired; others still work', async () => {
    const { root } = await start();
    const { userId, caller } = await createMember(root);
    const short = newApiKey();
    const long = newApiKey();
    const apiKeys = [apiKeyParams(short, { expirationSeconds: '60' }), apiKeyParams(long, { expirationSeconds: '3600' })];
    await root.result('createApiKeys', { userId, apiKeys });
    const session = await readWriteSession(caller, { expirationSeconds: '60' });
    const code = async (expirationSeconds: string) => {
      const contact = newAddress();
      const { otpId } = await root.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact, expirationSeconds });
      return { otpId, otpCode: await newestCode(inbox, contact) };
    };
    const shortCode = await code('60');
    const longCodes = [await code('600'), await code('600')];
    const { session: readOnly } = await caller.result('createReadOnlySession', {});
    expect((await whoami(caller.with({ key: short }))).status).toBe(200);
    expect((await withSession(caller, readOnly)).status).toBe(200);

    machine.aheadMs += 90 * SECONDS;
    const expired = { status: 401, code: 'API_KEY_EXPIRED' };
    expect(errorOf(await whoami(caller.with({ key: short })))).toEqual(expired);

    for (const setBackMs of [90 * SECONDS, 60 * SECONDS]) {
      const at = await restartBehind(setBackMs);
      expect(errorOf(await whoami(at(caller).with({ key: short })))).toEqual(expired);
      expect(errorOf(await whoami(at(session)))).toEqual(expired);
      expect(errorOf(await at(root).submit('verifyOtp', shortCode))).toMatchObject({ code: 'OTP_INVALID' });
      expect((await at(root).submit('verifyOtp', longCodes.pop())).status).toBe(200);
      expect((await whoami(at(caller).with({ key: long }))).status).toBe(200);
      expect((await withSession(at(caller), readOnly)).status).toBe(200);
    }
  });

  test('A34: a read-only session stays expired over a step back in the running process', async () => {
    const { root } = await start();
    const { session } = await root.result('createReadOnlySession', {});
    machine.aheadMs += 901 * SECONDS;
    const expired = { status: 401, code: 'SESSION_INVALID' };
    expect(errorOf(await withSession(root, session))).toEqual(expired);
    machine.aheadMs -= 900 * SECONDS;
    expect(errorOf(await withSession(root, session))).toEqual(expired);
    expect((await whoami(root)).status).toBe(200);
  });

  test('fault 9: ids and dates continue to increase, in the process and after a restart', async () => {
    const { root } = await start();
    const { caller } = await createSubOrganization(root);
    const newTag = async (at: Caller): Promise<string> =>
      (await at.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })).userTagId;
    const made: string[] = [];
    machine.aheadMs = 100 * SECONDS;
    made.push(await newTag(caller));
    machine.aheadMs = 0;
    made.push(await newTag(caller));
    const at = await restartBehind(50 * SECONDS);
    made.push(await newTag(at(caller)), await newTag(at(caller)));
    expect(made).toEqual(made.toSorted());
    const { activities } = await at(caller).data('listActivities');
    const tags = activities.map((activity: Json) => activity.result.createUserTagResult?.userTagId).filter(Boolean);
    expect(tags).toEqual(made.toReversed());
    const dates = activities.map(({ createdAt }: Json) => Number(createdAt.seconds));
    expect(dates).toEqual(dates.toSorted((a: number, b: number) => b - a));
  });

  test('fault 9: a clock hours behind prevents startup until it is corrected or accepted by the operator', async () => {
    const { root } = await start();
    machine.aheadMs = 3 * HOURS;
    expect((await whoami(root)).status).toBe(200);
    await root.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    await stop();
    machine.aheadMs = 0;
    await expect(start()).rejects.toThrow('clock is 3 hours behind');
    const [clock] = (await runDoctor(installation.config)).filter(({ check }) => check === 'clock');
    expect(clock).toMatchObject({ ok: false, fix: expect.stringContaining('clock accept') });

    const { fromMs, toMs } = await acceptClock(installation.config, machine);
    expect(fromMs ?? 0).toBeGreaterThan(toMs + 2 * HOURS);
    expect((await runDoctor(installation.config)).filter(({ ok }) => !ok)).toEqual([]);
    const { root: again } = await start();
    expect((await again.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })).status).toBe(200);
    await expect(acceptClock(installation.config)).rejects.toThrow('a server is using');
  });

  test('D268: a service whose time is far ahead of the machine is not ready, and is again when the clock is right', async () => {
    const { root, url } = await start();
    const ready = async () => {
      const response = await fetch(new URL('/readyz', url));
      return [response.status, await response.text()];
    };
    // The machine's clock was a day ahead for a moment. Requests with the right time are too old from then on.
    machine.aheadMs = 24 * HOURS;
    await whoami(root);
    machine.aheadMs = 0;
    const change = () => root.submit('updateOrganizationName', { organizationName: uniqueName('Name') });
    expect(errorOf(await change())).toMatchObject({ code: 'TIMESTAMP_INVALID' });
    expect(await ready()).toEqual([503, expect.stringMatching(/24 hours behind .* rejected as too old.*clock accept/)]);

    // A step of the size that NTP corrects is no reason to take the server out of a balancer.
    machine.aheadMs = 24 * HOURS - 200 * SECONDS;
    expect(await ready()).toEqual([200, 'ready\n']);
    await stop();
    machine.aheadMs = 0;
    await acceptClock(installation.config, machine);
    const again = await start();
    expect((await fetch(new URL('/readyz', again.url))).status).toBe(200);
    expect(
      (await root.with({ url: again.url }).submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })).status,
    ).toBe(200);
  });

  test('fault 9: nodes with different clocks serve together, even next to one that is a month ahead', async () => {
    const [here, there, astray] = [machine, new Machine(), new Machine()];
    const first = await start(here);
    const { root } = first;
    there.aheadMs = -120 * SECONDS;
    const second = await start(there);
    const third = await start(astray);
    // Something that commits, however often it is done.
    const change = (url: string) => root.with({ url }).submit('updateOrganizationName', { organizationName: uniqueName('Name') });
    astray.aheadMs = 30 * 24 * HOURS;
    // Its callers are refused, since their requests look a month old to it.
    expect(errorOf(await change(third.url))).toMatchObject({ code: 'TIMESTAMP_INVALID' });
    for (const node of [first, second]) {
      do {
        expect((await change(node.url)).status).toBe(200);
        expect((await whoami(root.with({ url: node.url }))).status).toBe(200);
        for (const each of [here, there]) each.aheadMs += SECONDS;
      } while (!node.logText().includes('30 days ahead'));
      expect(await (await fetch(`${node.url}/metrics`)).text()).toMatch(/^countersign_clock_alarms_total [1-9]/m);
    }
  });
});
