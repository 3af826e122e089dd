import { createHash } from 'node:crypto';
import { createMember, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

/** An activity that waits for the second of two root users, and that user. */
async function waiting({ root, rootUserId }: Stage) {
  const second = await createMember(root);
  await root.result('updateRootQuorum', { threshold: 2, userIds: [rootUserId, second.userId] });
  const body = root.submitBody('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
  await root.send(root.submitPath('createWallet'), body);
  return { caller: second.caller, fingerprint: `sha256:${createHash('sha256').update(body).digest('hex')}` };
}

const unknown = () => ({
  params: { fingerprint: `sha256:${'00'.repeat(32)}` },
  code: 'NOT_FOUND' as const,
  fields: ['fingerprint'],
});

export const consensusCases: CatalogueCases = {
  ACTIVITY_TYPE_APPROVE_ACTIVITY: {
    async succeeds(stage) {
      const { caller, fingerprint } = await waiting(stage);
      return { caller, params: { fingerprint } };
    },
    refused: unknown,
  },
  ACTIVITY_TYPE_REJECT_ACTIVITY: {
    async succeeds(stage) {
      const { caller, fingerprint } = await waiting(stage);
      return { caller, params: { fingerprint } };
    },
    refused: unknown,
  },
};
