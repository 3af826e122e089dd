import { once } from 'node:events';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail server on loopback that records mails. */
export async function startMailServer() {
  /** @type {{ to: string, text: string }[]} */
  const mails = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const chunks = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', async () => {
        const { to, text } = await PostalMime.parse(Buffer.concat(chunks));
        mails.push({ to: to[0].address, text });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    env: {
      COUNTERSIGN_SMTP_URL: `smtp://127.0.0.1:${server.server.address().port}`,
      COUNTERSIGN_MAIL_FROM: 'service@example.com',
    },
    /** The first match of `pattern` in a mail to an address. Waits for the mail. */
    async find(address, pattern) {
      for (let tries = 0; tries < 100; tries++) {
        const mail = mails.findLast(({ to }) => to === address);
        const found = mail && pattern.exec(mail.text);
        if (found) return found[0];
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`no mail to ${address} has what is looked for`);
    },
    /** Forgets the mails so far. */
    forget() {
      mails.length = 0;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
