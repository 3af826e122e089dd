import { type AuthProxyConfigParams, activities, ServiceError } from '@countersign/contract';
import type { AuthProxyRecord } from '../../organizations/records.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { planMail } from '../sign-in/mail-request.ts';
import { greatestLifetime, requireWithin } from '../sign-in/session-lifetime.ts';
import { findProfile } from '../sign-in/session-scope.ts';
import { readAccounts } from '../wallets/new-accounts.ts';
import { readOrigins } from './origins.ts';

export const updateAuthProxyConfig = execute(activities.updateAuthProxyConfig, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, nowMs } = context;
    if (organization.profile.parentId !== null) {
      throw new ServiceError(
        'ACTIVITY_CALLER_INVALID',
        'invalid activity caller: only a top-level organization has an auth proxy. Its sub-organizations are created and used through it.',
      );
    }
    const before = organization.records.authProxy.get(organization.id);
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    const record: AuthProxyRecord = {
      ...before,
      ...(given as AuthProxyConfigParams),
      createdAtMs: before?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    await requireUsable(context, record);
    return { intent: params, subject: {}, prepared: record };
  },

  async run({ organization }, { prepared: body }) {
    return {
      result: { configId: organization.id },
      changes: [{ op: 'putRecord', kind: 'authProxy', id: organization.id, body }],
    };
  },
});

/** Rejects a configuration that could not be used as it is written. */
async function requireUsable(context: PlanContext, config: AuthProxyRecord): Promise<void> {
  readOrigins(config.allowedOrigins ?? [], (index) => `allowedOrigins.${index}`);
  const methods = config.allowedAuthMethods ?? [];
  for (const [index, method] of methods.entries())
    if (methods.indexOf(method) !== index) throw invalidField(`allowedAuthMethods.${index}`, 'repeats a method of this list');
  if (config.sessionExpirationSeconds !== undefined)
    requireLifetime(await greatestLifetime(context), config.sessionExpirationSeconds);
  if ((config.sessionProfileId ?? '') !== '') await findProfile(context, config.sessionProfileId ?? '', 'sessionProfileId');
  if (config.wallet !== undefined) readAccounts(config.wallet.accounts, 'wallet.accounts');
  planMail(context, {
    emailCustomization: config.emailCustomizationParams,
    sendFromEmailAddress: config.sendFromEmailAddress,
    sendFromEmailSenderName: config.sendFromEmailSenderName,
    replyToEmailAddress: config.replyToEmailAddress,
  });
}

function requireLifetime(greatest: Parameters<typeof requireWithin>[0], seconds: number): void {
  try {
    requireWithin(greatest, String(seconds));
  } catch {
    // The same limit as for every session, under the name of this field.
    throw invalidField('sessionExpirationSeconds', `must be at most ${greatest.seconds} (${greatest.setting})`);
  }
}
