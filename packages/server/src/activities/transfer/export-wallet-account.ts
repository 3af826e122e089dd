import { accountAddress } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { isSameKey } from '@countersign/judgement';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';
import { readTargetKey } from '../sign-in/target-key.ts';
import { exportBundle } from './export-bundle.ts';

export const exportWalletAccount = execute(activities.exportWalletAccount, {
  locksOrganization: true,

  async plan(context, params) {
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const account = await accountWith(context, params.address);
    const wallet = await context.resources.walletOf(context.organization, account);
    const parameters = () => ({ address: accountAddress(account.body) });
    return { intent: params, subject: { key: account, wallet, parameters }, prepared: { account, target } };
  },

  async run(context, { prepared: { account: previous, target } }) {
    const { organization, vault, nowMs } = context;
    const { id, parentId, body } = previous;
    const { walletId, curve, path, address } = body;
    const reference = { kind: 'account' as const, id, walletId, curve, path };
    const message = await vault.transfers.exportPrivateKey(
      organization.id,
      reference,
      Buffer.from(body.publicKey, 'hex'),
      target,
    );
    return {
      result: { address, exportBundle: await exportBundle(context, message) },
      // The wallet is not marked as exported: the key of one account cannot restore the others.
      changes: [
        {
          op: 'putResource',
          kind: 'walletAccount',
          id,
          parentId,
          body: { ...body, exported: true, updatedAtMs: nowMs },
          previous,
        },
      ],
    };
  },
});

/** Returns the only account of the organization with this address. */
async function accountWith({ organization, resources }: PlanContext, address: string) {
  const [account, ...others] = await resources.accountsOf(organization.id, address);
  if (account === undefined) throw notFound('wallet account', 'address');
  if (others.some((other) => !isSameKey(account, other)))
    throw invalidField('address', 'belongs to accounts of more than one wallet: export the wallet instead');
  return account;
}
