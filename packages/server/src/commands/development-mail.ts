import { statSync } from 'node:fs';
import { ConfigError } from '../config/config-error.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { mailboxUrl, offersMailboxPage } from '../http/pages/mailbox-page.ts';
import { mailStyle } from '../notify/mail/mail-style.ts';
import { type MailboxEntry, readMailbox } from '../notify/mail/mailbox.ts';
import { listeningPort, origin } from '../process/port-file.ts';
import type { OutboxRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { openStoreAsIs } from './open-store-as-is.ts';

/** The content of the development mailbox, and the address of its page. */
export interface DevelopmentMail {
  readonly entries: readonly MailboxEntry[];
  /** At the port of the running server, else the configured one. Absent if such a server has no page, or its port is unknown. */
  readonly page?: string;
}

/** A message that the service gave up on, without its content. */
export type ParkedMessage = Pick<OutboxRow, 'id' | 'organizationId' | 'attempts' | 'fault'> & {
  readonly parkedAtMs: number;
  readonly expiresAtMs: number;
};

/** Opens an installation, running or not, and reads its development mailbox, newest first. Changes nothing. */
export async function readDevelopmentMail(config: Config, limit: number): Promise<DevelopmentMail> {
  return withStore(config, async (store) => {
    const vault = await openVaultFor(config, store);
    try {
      const entries = await readMailbox(store.outbox, vault, mailStyle(config), limit);
      const port = listeningPort(config) ?? config.port;
      if (!offersMailboxPage(config) || port === 0) return { entries };
      return { entries, page: mailboxUrl(origin(config, port), vault.integrity.mailboxToken) };
    } finally {
      vault.close();
    }
  });
}

/** Opens an installation, running or not, and lists the messages it gave up on, newest first. Changes nothing. */
export async function readParkedMessages(config: Config, limit: number): Promise<readonly ParkedMessage[]> {
  const rows = await withStore(config, (store) => store.outbox.list('parked', limit));
  return rows.map(({ id, organizationId, attempts, fault, dueAtMs, expiresAtMs }) => ({
    id,
    organizationId,
    attempts,
    fault,
    parkedAtMs: dueAtMs,
    expiresAtMs,
  }));
}

async function withStore<T>(config: Config, use: (store: Store) => Promise<T>): Promise<T> {
  if (config.databaseUrl === undefined && statSync(paths.database(config), { throwIfNoEntry: false }) === undefined) {
    throw new ConfigError(`${config.dataDir} contains no installation.`, "Check --data-dir; 'countersign serve' creates one.");
  }
  const store = await openStoreAsIs(config);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
