import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { type ParsedMail, parseMail } from './parse-mail.ts';

/** A mail that a real SMTP server received. */
export interface InboxMail extends ParsedMail {
  /** From the envelope. */
  readonly from: string;
  readonly to: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** A server's refusal. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

/** An SMTP server that belongs to a test. */
export interface Inbox {
  readonly port: number;
  readonly url: string;
  readonly mails: readonly InboxMail[];
  /** The mails to an address. Waits until `count` have arrived. */
  to(address: string, count?: number): Promise<InboxMail[]>;
  /** Refuses the recipients for which `judge` returns a refusal. */
  refuse(judge: (recipient: string) => Refusal | undefined): void;
  /** Stops listening; `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface InboxChoice {
  /** Offers STARTTLS, with the server's default certificate. */
  readonly tls?: boolean;
  /** Requires this login. */
  readonly login?: { readonly user: string; readonly password: string };
}

/** Starts a real SMTP server on a free port of this machine. */
export async function startInbox(choice: InboxChoice = {}): Promise<Inbox> {
  const mails: InboxMail[] = [];
  let judge: (recipient: string) => Refusal | undefined = () => undefined;
  let port = 0;
  let server: SMTPServer;

  function create(): SMTPServer {
    const { login } = choice;
    return new SMTPServer({
      logger: false,
      closeTimeout: 50,
      disabledCommands: [...(choice.tls ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
      allowInsecureAuth: true,
      authOptional: login === undefined,
      disableReverseLookup: true,
      onAuth({ username, password }, _session, done) {
        if (username === login?.user && password === login?.password) done(null, { user: username });
        else done(new Error('no'));
      },
      onRcptTo({ address }, _session, done) {
        const refusal = judge(address);
        if (refusal === undefined) return done();
        done(Object.assign(new Error(`${refusal.text} <${address}>`), { responseCode: refusal.code }));
      },
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            ...parseMail(Buffer.concat(chunks)),
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address).join(','),
            secure: session.secure,
            user: session.user,
          });
          done();
        });
      },
    });
  }

  const inbox: Inbox = {
    get port() {
      return port;
    },
    get url() {
      return `smtp://127.0.0.1:${port}`;
    },
    mails,
    async to(address, count = 1) {
      for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
        const found = mails.filter((mail) => mail.to === address);
        if (found.length >= count) return found;
      }
      throw new Error(`${address} did not get ${count} mails`);
    },
    refuse(next) {
      judge = next;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
    async start() {
      server = create();
      server.on('error', () => undefined); // a client that disconnects
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
      port = (server.server.address() as AddressInfo).port;
    },
  };
  await inbox.start();
  return inbox;
}
