import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../support/caller.ts';

/** One request to a receiver. */
export interface Delivery {
  /** Path and query of the URL that was called. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON. */
  readonly activity: Json;
  /** The receiver's answer. */
  readonly status: number;
}

/** Chooses a receiver's answer. */
export type Decide = (delivery: Omit<Delivery, 'status'>) => number | Promise<number>;

/** A receiver of webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  /** The deliveries, in the order of their answers. */
  readonly deliveries: readonly Delivery[];
  /** Sets how the status of each answer is chosen; the default is 200. */
  answer(decide: Decide): void;
  /** Resolves when `count` deliveries were answered with success. Rejects with the deliveries so far if they do not arrive. */
  taken(count: number): Promise<readonly Delivery[]>;
  /** The same, for any answer. */
  answered(count: number): Promise<readonly Delivery[]>;
  /** How many clients refused the receiver's certificate. */
  refusals(): number;
  close(): Promise<void>;
}

const PATIENCE_MS = 90_000;

/** Starts a receiver that records deliveries, over plain http, or over https with a certificate. */
export async function startReceiver(tls?: { readonly key: string; readonly cert: string }): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  let decide: Decide = () => 200;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const delivery = { path: request.url ?? '', headers: request.headers, body, activity: JSON.parse(body) };
      const status = await decide(delivery);
      if (response.destroyed) return;
      deliveries.push({ ...delivery, status });
      response.writeHead(status).end();
    });
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  let refusals = 0;
  server.on('tlsClientError', () => {
    refusals += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function until(count: number, counted: () => readonly Delivery[]): Promise<readonly Delivery[]> {
    const endMs = performance.now() + PATIENCE_MS;
    while (counted().length < count) {
      if (performance.now() > endMs) throw new Error(`${counted().length} of ${count} came: ${describe(deliveries)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return counted();
  }

  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    answer(next) {
      decide = next;
    },
    taken: (count) => until(count, () => deliveries.filter(({ status }) => status < 300)),
    answered: (count) => until(count, () => deliveries),
    refusals: () => refusals,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function describe(deliveries: readonly Delivery[]): string {
  return deliveries
    .map(({ activity, status }) => `${activity.organizationId} ${activity.type} ${activity.status} → ${status}`)
    .join(', ');
}
