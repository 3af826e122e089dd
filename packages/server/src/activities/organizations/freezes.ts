import type { FreezeRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField, notFound, requireDistinct } from '../../wire/refuse.ts';

/** The parameters of freeze and unfreeze that name objects. */
interface NamedObjects {
  readonly wholeOrganization?: boolean | undefined;
  readonly userIds?: readonly string[] | undefined;
  readonly walletIds?: readonly string[] | undefined;
  readonly privateKeyIds?: readonly string[] | undefined;
}

/** An object to freeze or unfreeze, and where the request names it. */
export interface FreezeObject {
  readonly id: string;
  readonly target: FreezeRecord['target'];
  readonly field: string;
}

const lists = { userIds: 'USER', walletIds: 'WALLET', privateKeyIds: 'PRIVATE_KEY' } as const;

/** The objects that a request names. Rejects a request that names none, or one twice. */
export function namedObjects({ id }: Snapshot, params: NamedObjects): readonly FreezeObject[] {
  const whole: FreezeObject[] =
    params.wholeOrganization === true ? [{ id, target: 'ORGANIZATION', field: 'wholeOrganization' }] : [];
  const others = (Object.keys(lists) as (keyof typeof lists)[]).flatMap((name) => {
    const ids = params[name] ?? [];
    requireDistinct(ids, 'id', name);
    return ids.map((each, index): FreezeObject => ({ id: each, target: lists[name], field: `${name}.${index}` }));
  });
  const named = [...whole, ...others];
  if (named.length === 0)
    throw invalidField('parameters', 'must name something: wholeOrganization, userIds, walletIds or privateKeyIds');
  return named;
}

/** Throws NOT_FOUND for an object that the organization does not have. */
export async function requireObject(
  { organization, resources }: PlanContext,
  { id, target, field }: FreezeObject,
): Promise<void> {
  if (target === 'ORGANIZATION') return;
  if (target === 'USER') {
    if (!organization.users.has(id)) throw notFound('user', field);
    return;
  }
  const kind = target === 'WALLET' ? 'wallet' : 'privateKey';
  if ((await resources.get(organization.id, kind, id)) === undefined)
    throw notFound(target === 'WALLET' ? 'wallet' : 'private key', field);
}
