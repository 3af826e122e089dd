import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { readParkedMessages } from '../../../packages/server/src/commands/development-mail.ts';
import { restore } from '../../../packages/server/src/commands/restore.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import { createReachable, mailSettings, until } from '../sign-in/mail-support.ts';
import { type Inbox, startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { createEndpoint, waitingEvents } from '../webhooks/support.ts';
import { allEngines, backupFile, bringCredentials, bringRootKey } from './support.ts';

describe.each(allEngines)('deliveries that were pending in a backup on %s', (engine) => {
  let inbox: Inbox;
  let hook: Receiver;
  const made: Installation[] = [];

  beforeEach(async () => {
    inbox = await startInbox();
    hook = await startReceiver();
  });
  afterEach(async () => {
    await inbox?.stop();
    await hook?.close();
    for (const installation of made.splice(0)) await installation.remove();
  });

  async function create(): Promise<Installation> {
    const installation = await preparedEngines[engine]();
    made.push(installation);
    return installation;
  }

  const settings = () => ({ config: { ...mailSettings(inbox), webhookNetworks: ['127.0.0.0/8'] } });

  /** A backup with a pending mail and a pending event, both of which are delivered after it. */
  async function backedUpBeforeDelivery(): Promise<{ source: Installation; file: string; email: string; events: number }> {
    const source = await create();
    const service = await startService(source, settings());
    const { email } = await createReachable(service.root);
    await inbox.stop();
    hook.answer(() => 503);
    await createEndpoint(service.root, hook.url);
    await service.root.result('emailAuth', { email, targetPublicKey: newTarget().hex });
    const raw = await source.raw();
    const events = (await waitingEvents(raw)).length;
    const file = backupFile(source);
    await backup(source.config, { file });
    await inbox.start();
    hook.answer(() => 200);
    await inbox.to(email);
    await service.close();
    return { source, file, email, events };
  }

  async function restored(source: Installation, file: string, resend: boolean) {
    const place = await create();
    bringRootKey(source, place);
    bringCredentials(source, place);
    return { place, outcome: await restore(place.config, { file, acceptLoss: false, resend }) };
  }

  test('D269: they are not sent again, and new ones are', async () => {
    const { source, file, email, events } = await backedUpBeforeDelivery();
    const { place, outcome } = await restored(source, file, false);
    expect(events).toBeGreaterThan(0);
    expect(outcome.unsent).toEqual({ messages: 1, events, notices: 0 });
    expect(await readParkedMessages(place.config, 10)).toMatchObject([{ fault: 'restored from a backup' }]);
    const before = hook.deliveries.length;
    stampFromNowOn();
    const service = await startService(place, settings());
    await createPrivateKey(service.root);
    const other = await createReachable(service.root);
    await service.root.result('emailAuth', { email: other.email, targetPublicKey: newTarget().hex });
    await inbox.to(other.email);
    await until('new events arrive', () => hook.deliveries.length >= before + 3);
    await sleep(500);
    await service.close();
    expect(hook.deliveries).toHaveLength(before + 3);
    expect(inbox.mails.filter(({ to }) => to === email)).toHaveLength(1);
  });

  test('D269: an operator can have them sent again', async () => {
    const { source, file, email } = await backedUpBeforeDelivery();
    const { place, outcome } = await restored(source, file, true);
    expect(outcome.unsent).toEqual({ messages: 0, events: 0, notices: 0 });
    const before = hook.deliveries.length;
    const service = await startService(place, settings());
    await inbox.to(email, 2);
    await until('the events arrive', () => hook.deliveries.length > before);
    await service.close();
  });
});
