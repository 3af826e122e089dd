import type { Socket } from 'node:net';
import { EdgeLink } from '../isolation/edge-link.ts';
import { openService, type Service } from '../open-service.ts';
import { Custody } from '../vault/root-key/providers/shares/custody.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { type FromWorker, failedMessage, type ToWorker } from './workers/messages.ts';

// The process that the primary forks. Signals go to the primary, which tells its workers to stop.
const send = (message: FromWorker) => process.send?.(message);
const waiting = new Map<number, (text: string) => void>();
let service: Service | undefined;
let edge: EdgeLink | undefined;
let running: RunningWorker | undefined;
let lastId = 0;

/** The metrics of all workers, gathered by the primary process. */
function gatherMetrics(): Promise<string> {
  return new Promise((resolve) => {
    const id = ++lastId;
    waiting.set(id, resolve);
    send({ kind: 'metrics', id });
  });
}

process.on('message', async (message: ToWorker, socket?: Socket) => {
  switch (message.kind) {
    case 'start':
      try {
        service = await openService(message.config, {
          ...(message.rootKeys.length > 0 && { custody: Custody.ofWorker(message.rootKeys) }),
        });
        if (message.config.isolate === 'on') edge = new EdgeLink();
        running = await startWorker(message.config, service, { metricsText: gatherMetrics, ...(edge && { edge }) });
        send({ kind: 'ready' });
      } catch (error) {
        send(failedMessage(error));
        process.exitCode = 1;
        process.disconnect?.();
      }
      break;
    case 'connection':
      // The socket is missing if the client disconnected during the handover.
      if (socket !== undefined) running?.take(socket);
      send({ kind: 'accepted', id: message.id });
      break;
    case 'edge':
      if (socket !== undefined) edge?.attach(socket);
      send({ kind: 'attached' });
      break;
    case 'ping':
      send({ kind: 'pong' });
      break;
    case 'count':
      if (service !== undefined)
        send({ kind: 'counted', id: message.id, snapshot: await service.services.statistics.metrics.snapshot() });
      break;
    case 'metrics':
      waiting.get(message.id)?.(message.text);
      waiting.delete(message.id);
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
// The primary died, so no stop message would arrive.
process.on('disconnect', () => process.exit(1));
send({ kind: 'awake' });
