import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { readTargetKey } from '../sign-in/target-key.ts';
import { exportBundle } from './export-bundle.ts';

export const exportWallet = execute(activities.exportWallet, {
  locksOrganization: true,

  async plan({ organization, resources }, params) {
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const wallet = await resources.get(organization.id, 'wallet', params.walletId);
    if (wallet === undefined) throw notFound('wallet', 'walletId');
    return { intent: params, subject: { wallet }, prepared: { wallet, target, language: params.language } };
  },

  async run(context, { prepared: { wallet: previous, target, language } }) {
    const { organization, vault, nowMs } = context;
    const { id, body } = previous;
    const { message, ownLanguage } = await vault.transfers.exportWallet(organization.id, id, target, language);
    const warnings =
      language === undefined || language === ownLanguage
        ? []
        : [
            `The keys of this wallet come from its phrase in ${ownLanguage}. Other software derives other keys from the phrase in ${language}: to restore the wallet elsewhere, export it without a language.`,
          ];
    return {
      result: { walletId: id, exportBundle: await exportBundle(context, message) },
      changes: [{ op: 'putResource', kind: 'wallet', id, body: { ...body, exported: true, updatedAtMs: nowMs }, previous }],
      warnings,
    };
  },
});
