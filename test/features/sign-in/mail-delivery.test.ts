import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { bundleIn, createReachable, keyFrom, mailSettings, outboxRows, until } from './mail-support.ts';
import { keysOf, MINUTES } from './sessions-support.ts';
import { type Inbox, startInbox } from './smtp-inbox.ts';
import { newTarget, type Target } from './transfer-support.ts';

describe.each(slowEngines('postgres'))('delivery of mail on %s', (engine) => {
  let inbox: Inbox;
  let installation: Installation;
  let raw: RawDatabase;
  let service: TestService;
  const services: TestService[] = [];

  beforeEach(async () => {
    inbox = await startInbox();
    installation = await engines[engine]();
    service = await start();
    raw = await installation.raw();
  });
  afterEach(async () => {
    for (const each of services.splice(0)) await each.close();
    await inbox?.stop();
    await installation?.remove();
  });

  async function start(): Promise<TestService> {
    const started = await startService(installation, { config: mailSettings(inbox) });
    services.push(started);
    return started;
  }

  async function close(closed: TestService): Promise<void> {
    services.splice(services.indexOf(closed), 1);
    await closed.close();
  }

  const rows = () => outboxRows(raw, service.root.organizationId);
  const empty = () => until('the outbox is empty', async () => (await rows()).length === 0);
  const failed = () =>
    until('an attempt has failed', async () => Number((await rows())[0]?.attempts ?? 0) >= 1 && (await rows())[0]?.fault !== '');

  async function ask(): Promise<{ email: string; userId: string; target: Target }> {
    const { email, userId } = await createReachable(service.root);
    const target = newTarget();
    await service.root.result('emailAuth', { email, targetPublicKey: target.hex });
    return { email, userId, target };
  }

  async function works(email: string, target: Target): Promise<number> {
    const [mail] = await inbox.to(email);
    const key = keyFrom(bundleIn(mail?.text ?? ''), target);
    return (await service.root.with({ key }).query('whoami')).status;
  }

  const metric = async (labels: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`countersign_messages_total\\{${labels}\\} (\\d+)`).exec(text)?.[1] ?? 0);
  };

  test('a mail that failed is sent once when the server is back', async () => {
    await inbox.stop();
    const { email, target } = await ask();
    await failed();
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'waiting', fault: expect.stringMatching(/^the mail server rejected it: \w+/) });
    await inbox.start();
    expect(await works(email, target)).toBe(200);
    await empty();
    expect(inbox.mails).toHaveLength(1);
    expect(await metric('outcome="sent",channel="EMAIL"')).toBe(1);
    expect(await metric('outcome="retried",channel="EMAIL"')).toBeGreaterThanOrEqual(1);
  });

  test('the next process delivers what was committed before, with the one key that was issued', async () => {
    await inbox.stop();
    const { email, userId, target } = await ask();
    await close(service);
    expect(await rows()).toHaveLength(1);
    await inbox.start();
    service = await start();
    expect(await works(email, target)).toBe(200);
    await empty();
    expect(inbox.mails).toHaveLength(1);
    expect(await keysOf(service.root, userId)).toHaveLength(2);
  });

  test('a message claimed by a process that died is delivered after its claim expires, and not before', async () => {
    await inbox.stop();
    const { email, target } = await ask();
    await failed();
    // As another node would leave it if killed while sending.
    await raw.run('UPDATE outbox SET due_at_ms = ?, attempts = 9', Date.now() + 2 * MINUTES);
    await inbox.start();
    // Long enough for the service to have looked.
    await sleep(1200);
    expect(inbox.mails).toEqual([]);
    service.setAheadMs(2 * MINUTES);
    expect(await works(email, target)).toBe(200);
  });

  test('several nodes share the work, and no mail is sent twice', async () => {
    await inbox.stop();
    const others = [await start(), await start()];
    const asked = await Promise.all(Array.from({ length: 8 }, ask));
    await Promise.all(others.map((other) => other.root.data('whoami')));
    await inbox.start();
    await Promise.all(asked.map(({ email }) => inbox.to(email)));
    await empty();
    expect(inbox.mails.map(({ to }) => to).sort()).toEqual(asked.map(({ email }) => email).sort());
    expect(new Set(inbox.mails.map(({ headers }) => headers['message-id'])).size).toBe(8);
  });

  test('a permanent refusal parks the message with a reason that names nobody, and delays no other message', async () => {
    inbox.refuse(() => ({ code: 550, text: '5.1.1 no such mailbox' }));
    const { email } = await ask();
    await until('it is parked', async () => (await rows())[0]?.state === 'parked');
    inbox.refuse(() => undefined);
    const [row] = await rows();
    expect(Number(row?.attempts)).toBe(1);
    expect(row?.fault).toBe('the mail server rejected it: EENVELOPE RCPT TO 550 5.1.1');
    const { email: next, target } = await ask();
    expect(await works(next, target)).toBe(200);
    expect(inbox.mails.map(({ to }) => to)).toEqual([next]);
    expect(service.logText()).toContain('a message was not delivered');
    expect(service.logText()).not.toContain(email);
    expect(await metric('outcome="parked",channel="EMAIL"')).toBe(1);
    // Its secret has expired by then and is deleted.
    service.setAheadMs(16 * MINUTES);
    await empty();
  });

  test('a temporary refusal is retried', async () => {
    let refusals = 0;
    inbox.refuse(() => (refusals++ < 1 ? { code: 450, text: '4.2.0 greylisted' } : undefined));
    const { email, target } = await ask();
    expect(await works(email, target)).toBe(200);
    expect(refusals).toBe(2);
  });

  test('a mail that was not sent before its secret expired is dropped, and the log says so', async () => {
    await inbox.stop();
    await ask();
    await failed();
    service.setAheadMs(16 * MINUTES);
    await empty();
    await inbox.start();
    expect(service.logText()).toContain('a message expired before it could be delivered');
    expect(await metric('outcome="expired",channel="unknown"')).toBe(1);
  });

  test('D62: a message that was altered or moved to another row is not sent and raises an alarm', async () => {
    await inbox.stop();
    await ask();
    await ask();
    await close(service);
    const [first, second] = await rows();
    const altered = Uint8Array.from(second?.ciphertext as Uint8Array);
    altered[altered.length - 1] = (altered.at(-1) as number) ^ 1;
    const swap = 'UPDATE outbox SET ciphertext = ?, due_at_ms = 0 WHERE id = ?';
    await raw.run(swap, second?.ciphertext as Uint8Array, first?.id as string);
    await raw.run(swap, altered, second?.id as string);
    await inbox.start();
    service = await start();
    await until('both are parked', async () => (await rows()).every(({ state }) => state === 'parked'));
    expect(inbox.mails).toEqual([]);
    expect(service.alarms().length).toBeGreaterThanOrEqual(2);
  });
});
