import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestBrowser } from '../../../packages/server/test/notify/push/browser.ts';
import type { Json } from '../../support/caller.ts';
import { until } from '../sign-in/mail-support.ts';

/** One message that a push service got, and the status that it answered. */
export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly status: number;
}

/** How a push service answers: 201 as RFC 8030 has it, unless a test says otherwise. */
export interface Answering {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser with a subscription at the push service. */
export interface Subscribed {
  /** The parameters of create_push_subscription. */
  readonly params: { readonly name: string; readonly endpoint: string; readonly p256dh: string; readonly auth: string };
  /** What the browser got, decrypted with its own key, once there are so many. */
  got(count: number): Promise<readonly Json[]>;
  /** Every message for it, whatever the answer was. */
  pushed(): readonly Pushed[];
  answer(answering: Answering): void;
}

/** A push service on this machine. It knows browsers by a path, as real ones do, and decrypts nothing: browsers do. */
export interface PushService {
  readonly origin: string;
  subscribe(): Subscribed;
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const messages: Pushed[] = [];
  const answers = new Map<string, Answering>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const { status, headers } = answers.get(path) ?? { status: 201 };
      messages.push({ path, headers: request.headers, body: Buffer.concat(chunks), status });
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let browsers = 0;
  return {
    origin,
    subscribe() {
      const browser = new TestBrowser();
      const path = `/wpush/v2/browser-${++browsers}`;
      const pushed = () => messages.filter((message) => message.path === path);
      return {
        params: { name: `Browser ${browsers}`, endpoint: origin + path, ...browser.keys },
        async got(count) {
          await until(`${count} messages come`, () => pushed().length >= count);
          return pushed().map(({ body }) => JSON.parse(browser.decrypt(body)));
        },
        pushed,
        answer: (answering) => answers.set(path, answering),
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
