import { createServer } from 'node:net';
import type { BareServerAnswer, BareServerOrder } from './bare-server.ts';

// Reads as many bytes as a request has and writes as many as an answer has, and knows nothing of either.
const [requestBytes, answerBytes] = process.argv.slice(2).map(Number) as [number, number];
const answer = Buffer.alloc(answerBytes);
const send = (message: BareServerAnswer) => process.send?.(message);

const server = createServer({ noDelay: true }, (socket) => {
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received < requestBytes) return;
    received -= requestBytes;
    socket.write(answer);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => send({ kind: 'listens', port: (server.address() as { port: number }).port }));

process.on('message', (_: BareServerOrder) => {
  const { user, system } = process.cpuUsage();
  send({ kind: 'used', cpuMicros: user + system });
});
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
