import { items, type PageRequest } from '@countersign/client';
import { z } from 'zod';
import { outcomeShape, showOutcome } from '../outcome.ts';
import { firstOf } from '../payments/knowledge.ts';
import { untrustedLong, untrustedText } from '../untrusted.ts';
import { activityId } from './reference.ts';
import { defineReader } from './tool.ts';

export const getActivity = defineReader({
  name: 'get_activity',
  title: 'Get the state of a request',
  description: 'Shows what became of a request: signed, sent, pending, denied, rejected or failed, with its result.',
  input: z.strictObject({ activityId }),
  output: outcomeShape,
  async run(agent, { activityId: id }) {
    const { activity } = await agent.client.getActivity({ activityId: id });
    return showOutcome(agent, activity);
  },
});

export const explainActivity = defineReader({
  name: 'explain_activity',
  title: 'Explain a decision',
  description: 'Explains why policies allowed or denied a request, or what it waits for.',
  input: z.strictObject({ activityId }),
  output: z.object({
    decisions: z.array(z.object({ outcome: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']), explanation: untrustedText })),
  }),
  async run({ client }, { activityId: id }) {
    const { decisions } = await client.explainActivity({ activityId: id });
    return { decisions: decisions.slice(-5).map(({ outcome, text }) => ({ outcome, explanation: untrustedLong(text) })) };
  },
});

export const listPendingApprovals = defineReader({
  name: 'list_pending_approvals',
  title: 'List pending approvals',
  description: 'Lists your own requests that wait for the approval of people, newest first, with who may approve them.',
  input: z.strictObject({}),
  output: z.object({ pending: z.array(outcomeShape), hasMore: z.boolean() }),
  async run(agent) {
    const { userId } = await agent.self();
    const list = (page: PageRequest) =>
      agent.client.listActivities({ ...page, filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    const { found, hasMore } = await firstOf(items(list, 'activities', ({ id }) => id));
    const own = found
      .filter(({ votes, type }) => votes[0]?.userId === userId && /^ACTIVITY_TYPE_(SIGN_|ETH_SEND)/.test(type))
      .slice(0, 20);
    const pending = [];
    for (const activity of own) pending.push(await showOutcome(agent, activity));
    return { pending, hasMore: hasMore || own.length === 20 };
  },
});
