import { parseHashSwitch } from '@countersign/judgement';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

const kinds = ['wallet', 'walletAccount', 'privateKey'] as const;

/** Throws NOT_FOUND if the value names something that is not a wallet, an account or a private key of the organization. */
export async function requireKeys({ organization, resources }: PlanContext, value: string): Promise<void> {
  for (const id of parseHashSwitch(value)?.exceptions.keys() ?? []) {
    const found = await Promise.all(kinds.map((kind) => resources.get(organization.id, kind, id)));
    if (found.every((resource) => resource === undefined)) throw notFound('wallet, account or private key', 'value');
  }
}
