import { statSync } from 'node:fs';
import { ConfigFault } from './config/read-config.ts';
import type { Config } from './config/settings.ts';
import { mailboxUrl, offersMailboxPage } from './http/mailbox-page.ts';
import { mailStyle } from './mail/mail-style.ts';
import { type MailboxEntry, readMailbox } from './mail/mailbox.ts';
import { openStore, paths, rootKeyProvider } from './service.ts';
import type { OutboxRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { openVault } from './vault/open-vault.ts';

/** What lies in the development mailbox, and where to look at it with a browser. */
export interface DevelopmentMail {
  readonly entries: readonly MailboxEntry[];
  /** Absent where a server with these settings shows no such page, or its port is not known. */
  readonly page?: string;
}

/** A message that was given up. What it said is not shown. */
export type ParkedMessage = Pick<OutboxRow, 'id' | 'organizationId' | 'attempts' | 'fault'> & {
  readonly parkedAtMs: number;
  readonly expiresAtMs: number;
};

/** Opens an installation, running or not, and reads its development mailbox, the newest first. Changes nothing. */
export async function readDevelopmentMail(config: Config, limit: number): Promise<DevelopmentMail> {
  return withStore(config, async (store) => {
    const vault = await openVault({ store, rootKeys: rootKeyProvider(config, store) });
    try {
      const entries = await readMailbox(store.outbox, vault, mailStyle(config), limit);
      if (!offersMailboxPage(config) || config.port === 0) return { entries };
      const host = config.host.includes(':') ? `[${config.host}]` : config.host;
      return { entries, page: mailboxUrl(`http://${host}:${config.port}`, vault.integrity.mailboxToken) };
    } finally {
      vault.close();
    }
  });
}

/** Opens an installation, running or not, and says which messages were given up, the newest first. Changes nothing. */
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
    throw new ConfigFault(`There is no installation in ${config.dataDir}.`, "Check --data-dir; 'countersign serve' makes one.");
  }
  const store = await openStore(config);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
