import { readFile } from 'node:fs/promises';
import { type Queries, type QueryDefinition, queries } from '@countersign/contract';
import { expect, test } from 'vitest';
import { buildWorld, type World } from '../../support/activity-cases.ts';
import { mfaPolicyParams } from '../../support/activity-params.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Answer, type Caller, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { queryCases } from '../../support/query-cases.ts';
import { createMember, createSubOrganization } from '../../support/world.ts';
import { newAddress, readInvitation } from '../catalogue/support/invitations.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';

type QueryName = keyof Queries;
type Cell = 'all' | 'own' | '–';

/** Asks a query as one kind of caller. */
interface Reader {
  readonly userId: string;
  ask(name: QueryName, fields: object): Promise<Answer>;
}

const names = Object.keys(queries) as QueryName[];

/** The fields of queries about objects of the root user that `queryCases` does not have. An unknown object shows that reading is allowed. */
const others: Partial<Record<QueryName, (world: World) => object>> = {
  getUser: ({ rootUserId }) => ({ userId: rootUserId }),
  getApiKey: ({ apiKeyId }) => ({ apiKeyId }),
  getApiKeys: ({ rootUserId }) => ({ userId: rootUserId }),
  getAuthenticator: ({ endpointId }) => ({ authenticatorId: endpointId }),
  getAuthenticators: ({ rootUserId }) => ({ userId: rootUserId }),
  getOauthProviders: ({ rootUserId }) => ({ userId: rootUserId }),
  getOauth2Credential: ({ endpointId }) => ({ oauth2CredentialId: endpointId }),
  getSessionProfile: ({ endpointId }) => ({ sessionProfileId: endpointId }),
};

/** The objects of the user without rights. */
interface OwnIds {
  readonly activityId: string;
  readonly apiKeyId: string;
  readonly authenticatorId: string;
  readonly mfaPolicyId: string;
}

/** The fields of queries about the caller's own objects. */
function own(name: QueryName, { userId }: Reader, ids: OwnIds): object {
  const fields: Partial<Record<QueryName, object>> = {
    getActivity: { activityId: ids.activityId },
    explainActivity: { activityId: ids.activityId },
    getLogProof: { activityId: ids.activityId },
    getActivityNames: { activityId: ids.activityId },
    getMfaStatus: { activityId: ids.activityId },
    getApiKey: { apiKeyId: ids.apiKeyId },
    getAuthenticator: { authenticatorId: ids.authenticatorId },
    getMfaPolicy: { userId, mfaPolicyId: ids.mfaPolicyId },
  };
  return fields[name] ?? { userId };
}

function isAllowed({ status, body }: Answer): boolean {
  if (![200, 400, 401, 403, 404].includes(status)) throw new Error(`unexpected ${status}: ${JSON.stringify(body)}`);
  return status !== 401 && status !== 403;
}

function byKey(caller: Caller, userId: string): Reader {
  return { userId, ask: (name, fields) => caller.query(name, fields) };
}

function bySession(caller: Caller, userId: string, session: string): Reader {
  const ask: Reader['ask'] = (name, fields) => {
    const body = Buffer.from(JSON.stringify({ organizationId: caller.organizationId, ...fields }));
    return post(caller.url + caller.queryPath(name), body, { 'x-session': session });
  };
  return { userId, ask };
}

/** What a caller reads by a query: everything, their own part, or nothing. */
async function cellOf(name: QueryName, reader: Reader, world: World, ids: OwnIds): Promise<Cell> {
  const answer = await reader.ask(name, (others[name] ?? queryCases[name]?.fields)?.(world) ?? {});
  // These show the caller by their nature.
  if (name === 'whoami' || name === 'listPushSubscriptions') return isAllowed(answer) ? 'own' : '–';
  if ((name === 'listActivities' || name === 'searchActivities') && isAllowed(answer))
    return JSON.stringify(answer.body).includes(world.activityId) ? 'all' : 'own';
  if (isAllowed(answer)) return 'all';
  const reads: QueryDefinition['reads'] = queries[name].reads;
  return reads.always === 'OWN' && (await reader.ask(name, own(name, reader, ids))).status === 200 ? 'own' : '–';
}

/** The rows of the guide's table. */
async function tableInGuide(): Promise<readonly string[]> {
  const text = await readFile(new URL('../../../docs/guide/reading.md', import.meta.url), 'utf8');
  return text.split('\n').filter((line) => /^\| `[a-z0-9_]+` \|/.test(line));
}

describeEngines(
  'the table of readers',
  (subject) => {
    const top = () => subject().service.root;

    test('D320: each caller reads by each query what the guide states', { timeout: 120_000 }, async () => {
      const sub = await createSubOrganization(top());
      const root = sub.caller;
      const world = await buildWorld(root);
      const [member, outside] = [await createMember(root), await createMember(top())];
      const inside = outside.caller.with({ organizationId: sub.organizationId });
      const stranger = (await createSubOrganization(top())).caller.with({ organizationId: sub.organizationId });
      const submitted = await member.caller.submit('createReadOnlySession', {});
      const { session } = submitted.body.activity.result.activity.result.createReadOnlySessionResult;
      const outsideSession = (await outside.caller.result('createReadOnlySession', {})).session;
      const address = newAddress();
      const invited = {
        receiverUserName: 'Invited',
        receiverUserEmail: address,
        receiverUserTags: [],
        accessType: 'ACCESS_TYPE_ALL',
      };
      await root.result('createInvitations', { invitations: [{ ...invited, senderUserId: sub.userId }] });
      const mail = await readInvitation(subject().service, address);
      const { authenticatorIds } = await root.result('createAuthenticators', {
        userId: member.userId,
        authenticators: [passkeyParams()],
      });
      const ids: OwnIds = {
        authenticatorId: authenticatorIds[0],
        mfaPolicyId: (await root.result('createMfaPolicy', mfaPolicyParams(member.userId))).mfaPolicyId,
        activityId: submitted.body.activity.id,
        apiKeyId: (await root.data('getApiKeys', { userId: member.userId })).apiKeys[0].apiKeyId,
      };
      const callers = {
        root: byKey(root, sub.userId),
        parentRoot: byKey(top().with({ organizationId: sub.organizationId }), ''),
        user: byKey(member.caller, member.userId),
        session: bySession(member.caller, member.userId, session),
        parentUser: byKey(inside, outside.userId),
        parentSession: bySession(inside, outside.userId, outsideSession),
        oneTimeKey: byKey(mail.receiver, mail.userId),
        stranger: byKey(stranger, ''),
        unknown: byKey(root.with({ key: newApiKey() }), ''),
      };
      const column = async (...readers: readonly Reader[]) => {
        const cells = new Map<QueryName, string>();
        for (const name of names) {
          const found = new Set<Cell>();
          for (const reader of readers) found.add(await cellOf(name, reader, world, ids));
          cells.set(name, [...found].join('/'));
        }
        return cells;
      };
      const { root: rootUser, parentRoot, user, session: sessionOf, parentUser, parentSession, oneTimeKey } = callers;
      const strangers = [callers.stranger, callers.unknown];
      const off = await column(rootUser, parentRoot, user, sessionOf, parentUser, parentSession);
      const offOthers = [await column(oneTimeKey), await column(...strangers)];
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
      const on = [
        await column(rootUser, parentRoot),
        await column(user, sessionOf),
        await column(parentUser, parentSession),
        await column(oneTimeKey),
        await column(...strangers),
      ];
      expect(offOthers).toEqual(on.slice(3));
      const rows = names.map((name) => {
        const { path, reads }: QueryDefinition = queries[name];
        const cells = [off, ...on].map((cells) => cells.get(name));
        return `| \`${path}\` | ${reads.resources.join(', ')} | ${cells.join(' | ')} |`;
      });
      expect(rows.sort()).toEqual(await tableInGuide());
    });
  },
  { config: { failedStampsPerAddress: 0 } },
);
