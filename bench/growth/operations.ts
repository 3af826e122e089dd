import { type SigningTarget, signingBody } from '../signing-request.ts';
import { api } from './api.ts';
import type { Client } from './client.ts';
import type { Growing } from './kinds.ts';
import { RARELY_FAILED } from './past.ts';

/** A request that every organization receives. */
export interface Operation {
  readonly name: string;
  /** Whether it leaves an activity, which the service enters into its log afterwards. */
  readonly isLogged: boolean;
  send(unique: string): Promise<void>;
  /** Takes back what was sent, so that the organization keeps its size. Gives how many activities that took. */
  undo(): Promise<number>;
}

const paginationOptions = { limit: '10' };
/** What one activity can delete. */
export const MOST_IDS = 1_000;

/** The requests that are measured. Those of a round are sent in this order. */
export function operationsOn(client: Client, kind: Growing, target: SigningTarget): readonly Operation[] {
  return [
    oneChange(client, kind),
    // After the change, whose undoing is a long activity: otherwise the page of the newest activities would show that.
    {
      name: 'a signature',
      isLogged: true,
      async send(unique) {
        const payload = Buffer.from(unique).toString('hex').padStart(64, '0').slice(-64);
        await client.submit('sign_raw_payload', signingBody(target, payload, Date.now()));
      },
      undo: async () => 0,
    },
    ...pagesOf(kind).map(({ name, path, fields }) => asks(client, name, path, { ...fields, paginationOptions })),
    asks(client, 'get_organization', 'get_organization'),
  ];
}

function oneChange(client: Client, kind: Growing): Operation {
  const { create, madeIn, delete: deletion } = api[kind === 'activities' ? 'tags' : kind];
  const created: string[] = [];
  return {
    name: 'one change',
    isLogged: true,
    async send(unique) {
      created.push(madeIn((await client.change(create(unique))) as never));
    },
    async undo() {
      let activities = 0;
      for (; created.length > 0; activities++) await client.change(deletion(created.splice(0, MOST_IDS)));
      return activities;
    },
  };
}

function asks(client: Client, name: string, path: string, fields?: object): Operation {
  return { name, isLogged: false, send: () => client.query(path, fields), undo: async () => 0 };
}

function pagesOf(kind: Growing): readonly { readonly name: string; readonly path: string; readonly fields?: object }[] {
  if (kind !== 'activities') return [{ name: 'a page of 10', path: api[kind].list }];
  const rareFailures = { filterByStatus: ['ACTIVITY_STATUS_FAILED'], filterByType: [RARELY_FAILED] };
  return [
    { name: 'a page of 10', path: 'list_activities' },
    { name: 'a page of rare failures', path: 'list_activities', fields: rareFailures },
  ];
}
