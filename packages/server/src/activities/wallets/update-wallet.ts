import { activities } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { requireVisible } from '../../organizations/names.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { nameTaken, notFound } from '../../wire/refuse.ts';

export const updateWallet = execute(activities.updateWallet, {
  locksOrganization: true,

  async plan({ organization, resources }, params) {
    const wallet = await resources.get(organization.id, 'wallet', params.walletId);
    if (wallet === undefined) throw notFound('wallet', 'walletId');
    const walletName = params.walletName ?? wallet.body.walletName;
    const holders = await resources.find(organization.id, 'walletName', walletName);
    if (holders.some((id) => id !== wallet.id)) throw nameTaken('wallet', 'walletName');
    const isRenamed = walletName !== wallet.body.walletName;
    if (isRenamed) requireVisible(walletName, 'walletName');
    const touches: Touch[] = isRenamed
      ? [
          { what: 'WALLET_NAME', walletName: wallet.body.walletName, lost: true },
          { what: 'WALLET_NAME', walletName },
        ]
      : [];
    return { intent: params, subject: { wallet, touches }, prepared: { wallet, walletName } };
  },

  async run({ nowMs }, { prepared: { wallet: previous, walletName } }) {
    const { id, body } = previous;
    return {
      result: { walletId: id },
      changes: [{ op: 'putResource', kind: 'wallet', id, body: { ...body, walletName, updatedAtMs: nowMs }, previous }],
    };
  },
});
