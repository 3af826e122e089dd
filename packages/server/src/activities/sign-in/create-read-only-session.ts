import { randomBytes } from 'node:crypto';
import { activities } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { sessionIdOf } from '../../pipeline/authenticate/read-only-session.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { originOf, sessionSeconds } from './session-lifetime.ts';

export const createReadOnlySession = execute(activities.createReadOnlySession, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, submitterId: userId, limits, nowMs } = context;
    const user = organization.users.get(userId);
    if (user === undefined) throw notFound('user', 'userId');
    const held = [...credentialsOfUser(organization.records.readOnlySession, userId)];
    const over = held.filter(([, session]) => session.expiresAtMs <= nowMs);
    const live = held.filter(([, session]) => session.expiresAtMs > nowMs).sort(([, a], [, b]) => a.createdAtMs - b.createdAtMs);
    const evicted = live.slice(0, Math.max(0, live.length + 1 - limits.maxCredentials));
    const removed = [...over, ...evicted].map(([id]) => id);
    const origin = originOf(context, 'STAMP');
    const seconds = await sessionSeconds(context, origin, undefined);
    return {
      intent: params,
      subject: { touches: [{ what: 'SESSION', userId }] },
      prepared: { userId, username: user.userName, origin, seconds, removed },
    };
  },

  async run({ organization, nowMs }, { prepared: { userId, username, origin, seconds, removed } }) {
    const session = randomBytes(32).toString('base64url');
    const expiresAtMs = nowMs + Number(seconds) * 1000;
    const body = { userId, expiresAtMs, origin, createdAtMs: nowMs, updatedAtMs: nowMs };
    const changes: Change[] = [
      ...removed.map((id) => ({ op: 'deleteRecord' as const, kind: 'readOnlySession' as const, id })),
      { op: 'putRecord', kind: 'readOnlySession', id: sessionIdOf(session), body },
    ];
    const result = {
      organizationId: organization.id,
      organizationName: organization.profile.name,
      userId,
      username,
      session,
      sessionExpiry: String(Math.floor(expiresAtMs / 1000)),
    };
    return { result, changes };
  },
});
