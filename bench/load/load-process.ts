import { checkSamples } from './check-samples.ts';
import { Connection } from './connection.ts';
import { drive } from './drive.ts';
import type { FromLoad, LoadTarget, ToLoad } from './messages.ts';
import { type StampedRequest, stampRequests } from './stamped-requests.ts';

// The process that makes load. It answers each message with one message.
const send = (message: FromLoad) => process.send?.(message);
let target: LoadTarget | undefined;
let connections: Connection[] = [];
let requests: StampedRequest[] = [];
let fault: ((error: Error) => void) | undefined;

async function prepare(message: ToLoad & { kind: 'prepare' }): Promise<FromLoad> {
  target = message.target;
  const { host, port } = target;
  requests = stampRequests(target, message.requests);
  const open = () => Connection.open(host, port, (error) => fault?.(error));
  connections = await Promise.all(Array.from({ length: message.connections }, open));
  // Collect the garbage of stamping before the window begins.
  globalThis.gc?.();
  return { kind: 'prepared' };
}

async function start({ seconds }: ToLoad & { kind: 'start' }): Promise<FromLoad> {
  const broken = new Promise<never>((_, reject) => {
    fault = reject;
  });
  try {
    const { window, samples } = await Promise.race([drive(connections, requests, seconds), broken]);
    const verified = checkSamples(samples, (target as LoadTarget).signingPublicKeyHex);
    return { kind: 'done', window: { ...window, verified } };
  } finally {
    fault = undefined;
    for (const connection of connections) connection.close();
  }
}

process.on('message', (message: ToLoad) => {
  const answer = message.kind === 'prepare' ? prepare(message) : start(message);
  answer.then(send, (error: unknown) =>
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
});
// Ctrl-C reaches the whole process group, but the benchmark decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
