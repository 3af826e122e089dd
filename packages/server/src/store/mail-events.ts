import { definePaged, newestFirst, pagedParams, toCursor } from './cursor.ts';
import { defineStatement, type Read } from './statement.ts';
import type { Store } from './store.ts';
import { mailEvents } from './tables.ts';

const add = defineStatement(
  'mail_events_add',
  `INSERT INTO mail_events (${mailEvents.list}) VALUES (${mailEvents.columns.map(() => '?').join(', ')}) RETURNING id`,
);
const trim = defineStatement(
  'mail_events_trim',
  `DELETE FROM mail_events WHERE organization_id = ? AND id <=
     (SELECT id FROM mail_events WHERE organization_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?) RETURNING id`,
);
const sweep = defineStatement('mail_events_sweep', 'DELETE FROM mail_events WHERE created_at_ms < ? RETURNING id');
const ofRecipient = `SELECT ${mailEvents.list} FROM mail_events WHERE organization_id = ? AND recipient = ?`;
const ofAnyType = definePaged('mail_events_page', ofRecipient, 'id');
const ofType = definePaged('mail_events_type_page', `${ofRecipient} AND event_type = ?`, 'id');

/** Events of mails, shared by both engines. */
export function createMailEvents(read: Read): Store['mailEvents'] {
  return {
    async add(event, most) {
      await read(add, mailEvents.encode(event));
      await read(trim, [event.organizationId, event.organizationId, most]);
    },
    async page(organizationId, recipient, eventType, page) {
      const cursor = toCursor(page);
      const fixed = [organizationId, recipient, ...(eventType === '' ? [] : [eventType])];
      const statement = (eventType === '' ? ofAnyType : ofType)(cursor);
      return newestFirst(cursor, (await read(statement, [...pagedParams(fixed, cursor)])).map(mailEvents.decode));
    },
    sweep: async (beforeMs) => void (await read(sweep, [beforeMs])),
  };
}
