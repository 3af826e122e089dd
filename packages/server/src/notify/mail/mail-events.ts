import type { MailEventRow } from '../../store/rows.ts';
import type { Page, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';

/** Number of events of one organization. Its older events are removed. */
export const MOST_MAIL_EVENTS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long an event is kept. */
export const MAIL_EVENT_MS = 7 * DAY_MS;

/** What a mail server said about a mail: accepted, rejected, or not accepted yet. */
export type MailEventType = 'Send' | 'Bounce' | 'DeliveryDelay';

export interface MailEventServices {
  readonly store: Pick<Store, 'mailEvents'>;
  readonly integrity: Pick<Integrity, 'mailEvent' | 'mailRecipient'>;
}

export interface NewMailEvent {
  readonly organizationId: string;
  readonly id: string;
  readonly atMs: number;
  readonly messageId: string;
  readonly eventType: MailEventType;
  readonly from: string;
  readonly to: string;
  /** What the mail server said, without an address. Absent if it accepted the mail. */
  readonly diagnostic?: string;
}

/** The part of an event that is stored as JSON. */
interface Body {
  readonly messageId: string;
  readonly from: string;
  readonly diagnostic?: string;
}

export interface FoundMailEvent extends Body {
  readonly id: string;
  readonly eventType: string;
  readonly createdAtMs: number;
}

/** Which events to list. */
export interface AskedMailEvents {
  readonly email: string;
  readonly eventType: string | undefined;
  readonly page: Page;
}

/**
 * Stores an event.
 * SECURITY: D1005: the address of the recipient is not stored. Its keyed hash differs between organizations, and a query finds it only by
 * the address.
 */
export async function recordMailEvent({ store, integrity }: MailEventServices, event: NewMailEvent): Promise<void> {
  const { organizationId, id, eventType, messageId, from, to, diagnostic } = event;
  const body: Body = { messageId, from, ...(diagnostic !== undefined && { diagnostic }) };
  const row: Omit<MailEventRow, 'mac'> = {
    organizationId,
    id,
    recipient: recipientOf(integrity, organizationId, to),
    eventType,
    createdAtMs: event.atMs,
    body: JSON.stringify(body),
  };
  await store.mailEvents.add({ ...row, mac: integrity.mailEvent(row) }, MOST_MAIL_EVENTS);
}

/** Events of one address, newest first. Throws the error of `tampered` for a row that this service did not write. */
export async function listMailEvents(
  { store, integrity }: MailEventServices,
  organizationId: string,
  { email, eventType = '', page }: AskedMailEvents,
  tampered: (organizationId: string, what: string) => Error,
): Promise<readonly FoundMailEvent[]> {
  const recipient = recipientOf(integrity, organizationId, email);
  const rows = await store.mailEvents.page(organizationId, recipient, eventType, page);
  return rows.map(({ mac, ...row }) => {
    if (!macsEqual(integrity.mailEvent(row), mac))
      throw tampered(organizationId, `the mail event ${row.id} was changed or inserted outside the service`);
    return { id: row.id, eventType: row.eventType, createdAtMs: row.createdAtMs, ...(JSON.parse(row.body) as Body) };
  });
}

function recipientOf(integrity: MailEventServices['integrity'], organizationId: string, address: string): string {
  return Buffer.from(integrity.mailRecipient(organizationId, address.toLowerCase())).toString('hex');
}
