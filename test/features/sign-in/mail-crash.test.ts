import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { placeOf, serve } from '../../faults/fault/support/serving.ts';
import { type Engine, engines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { bundleIn, createReachable, keyFrom, mailSettings, outboxRows, until } from './mail-support.ts';
import { keysOf, MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

/** A server that accepts connections and never answers. */
async function startSilence(): Promise<{ url: string; connections: Set<Socket>; stop(): void }> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined); // its other end is killed
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    for (const socket of connections) socket.destroy();
    server.close();
  };
  return { url, connections, stop };
}

test.each(Object.keys(engines) as Engine[])(
  'kill -9 after the answer, in the middle of sending: the mail is delivered after the restart, with the one key, on %s',
  async (engine) => {
    const installation = await engines[engine]();
    const silence = await startSilence();
    const inbox = await startInbox();
    const environment = { COUNTERSIGN_SMTP_URL: silence.url, COUNTERSIGN_MAIL_FROM: 'no-reply@countersign.example' };
    const serving = await serve(placeOf(installation), [], { environment });
    const { email, userId } = await createReachable(serving.root);
    const target = newTarget();
    const { apiKeyId } = await serving.root.result('emailAuth', { email, targetPublicKey: target.hex });
    await until('the mail is being sent', () => silence.connections.size > 0);
    await serving.kill();
    expect(await outboxRows(await installation.raw(), serving.root.organizationId)).toHaveLength(1);

    const service = await startService(installation, { config: mailSettings(inbox) });
    // The claim of the killed process has to expire.
    service.setAheadMs(2 * MINUTES);
    const [mail] = await inbox.to(email);
    const key = keyFrom(bundleIn(mail?.text ?? ''), target);
    expect(await service.root.with({ key }).data('whoami')).toMatchObject({ userId });
    const issued = (await keysOf(service.root, userId)).filter(({ expirationSeconds }) => expirationSeconds !== '');
    expect(issued.map((each) => each.apiKeyId)).toEqual([apiKeyId]);
    await until(
      'nothing waits',
      async () => (await outboxRows(await installation.raw(), service.root.organizationId)).length === 0,
    );
    expect(inbox.mails).toHaveLength(1);

    await service.close();
    silence.stop();
    await inbox.stop();
    await installation.remove();
  },
);
