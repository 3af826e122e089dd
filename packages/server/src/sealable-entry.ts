import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { planConfinement } from './isolation/confinement.ts';
import { holdBack } from './network/hold-back.ts';
import { createReceiver } from './network/ports.ts';
import { type Opened, SEALED_CODE, type StartSealable } from './process/sealable/messages.ts';
import { workerFiles } from './process/worker-files.ts';
import { type FromWorker, failedMessage, type ToWorker } from './process/workers/messages.ts';
import { type RunningServer, type ServerFacts, serve } from './start-server.ts';
import { Custody } from './vault/root-key/providers/shares/custody.ts';

// The process that collects the shares of a root key, and then serves. Another one has the ports, and starts this one again after it was sealed.
const RETRY_MS = 5_000;

const send = (message: FromWorker | Opened<ServerFacts>) => process.send?.(message);
const receiver = createReceiver();
let running: RunningServer | undefined;
let isIsolated = false;

async function start({ config, port, isThrowAway }: StartSealable): Promise<void> {
  isIsolated = config.isolate === 'on';
  try {
    const confinement = isIsolated ? planConfinement(config, workerFiles.edgeEntry) : undefined;
    // SECURITY: D650: the end of the process frees its memory. Cleaning up would take time.
    const custody = Custody.collecting(() => process.exit(SEALED_CODE));
    send({ kind: 'ready' });
    const ports = { ...receiver, listen: async () => port };
    running = await serve(config, { ports, port, isThrowAway, confinement, custody });
    const { reload, close, ...facts } = running;
    send({ kind: 'opened', facts });
  } catch (error) {
    send(failedMessage(error));
    await sleep(RETRY_MS);
    process.exit(1);
  }
}

process.on('message', async (message: StartSealable | Exclude<ToWorker, { kind: 'start' }>, socket?: Socket) => {
  switch (message.kind) {
    case 'start':
      await start(message);
      break;
    case 'connection':
      if (socket !== undefined) {
        // With --isolate, connections wait for a worker.
        if (isIsolated) holdBack(socket);
        receiver.take(socket);
      }
      send({ kind: 'accepted', id: message.id });
      break;
    case 'ping':
      send({ kind: 'pong' });
      break;
    case 'reload':
      running?.reload(message.config);
      break;
    case 'stop':
      await running?.close();
      process.exit(0);
  }
});
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});
// The process with the ports died, so no stop message would arrive.
process.on('disconnect', () => process.exit(1));
send({ kind: 'awake' });
