import { Socket } from 'node:net';
import { type Edge, startEdge } from '../isolation/edge.ts';
import type { ToEdge } from '../isolation/edge-messages.ts';
import type { FromWorker } from './workers/messages.ts';

// The process that parses what strangers send. Its core asks it to stop, and it ends with its core.
const send = (message: FromWorker) => process.send?.(message);
let edge: Edge | undefined;

process.on('message', (message: ToEdge, socket?: Socket) => {
  switch (message.kind) {
    case 'start':
      edge = startEdge(message.settings, new Socket({ fd: 3, readable: true, writable: true }));
      void edge.ended.then(() => process.exit(0));
      send({ kind: 'ready' });
      break;
    case 'connection':
      // The socket is missing if the client disconnected during the handover.
      if (socket !== undefined) edge?.take(socket);
      send({ kind: 'accepted', id: message.id });
      break;
    case 'reload':
      edge?.reload(message.tls);
      break;
    case 'ping':
      send({ kind: 'pong' });
      break;
  }
});
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});
// The primary died.
process.on('disconnect', () => process.exit(1));
send({ kind: 'awake' });
