import type { Client } from '@countersign/client';
import { NotFoundError, UsageError } from './errors.ts';
import { matches, type Named, namedKinds } from './names.ts';

type ListField = 'userIds' | 'walletIds' | 'privateKeyIds';

interface Candidate extends Named {
  readonly field: ListField | 'wholeOrganization';
  readonly noun: string;
}

const kinds = { userIds: 'user', walletIds: 'wallet', privateKeyIds: 'privateKey' } as const;
const frozenFields = {
  ORGANIZATION: 'wholeOrganization',
  USER: 'userIds',
  WALLET: 'walletIds',
  PRIVATE_KEY: 'privateKeyIds',
} as const;

/** The operations that take objects of any kind as arguments. */
export const namesTargets = (operation: string): boolean => operation === 'freeze' || operation === 'unfreeze';

/**
 * Resolves names, ids and id prefixes of users, wallets and private keys. The id of the organization stands for all of it.
 * SECURITY: other users choose names. Text that matches two objects is rejected, also if they are of different kinds. An unfreeze considers
 * only what is frozen; a frozen member of the root quorum may read only that list, so ids must work without names.
 */
export async function resolveTargets(
  client: Client,
  operation: string,
  references: readonly string[],
): Promise<readonly Candidate[]> {
  const isUnfreeze = operation === 'unfreeze';
  const known = isUnfreeze ? await frozenObjects(client) : [organizationOf(client)];
  const isKnown = (reference: string) => known.some(({ id }) => id === reference);
  const named = references.every(isKnown) ? [] : await namedObjects(client);
  const candidates = isUnfreeze
    ? known.map((each) => ({ ...each, ...named.find(({ id }) => id === each.id) }))
    : [...known, ...named];
  return references.map((reference) => onlyOne(candidates, reference, isUnfreeze));
}

function onlyOne(candidates: readonly Candidate[], reference: string, isUnfreeze: boolean): Candidate {
  const exact = candidates.find(({ id }) => id === reference);
  const found = exact === undefined ? candidates.filter((each) => matches(each, reference)) : [exact];
  const [only, second] = found;
  if (only === undefined)
    throw new NotFoundError(
      `${isUnfreeze ? 'Nothing that is frozen' : 'No user, wallet or private key'} has the name or id prefix "${reference}".`,
      isUnfreeze
        ? 'Run "countersign list-freezes" to list what is frozen.'
        : 'Run "countersign list-users", "countersign list-wallets" or "countersign list-private-keys" to list them.',
    );
  if (second !== undefined)
    throw new UsageError(
      `"${reference}" is ambiguous: ${found
        .slice(0, 5)
        .map(({ noun, name, id }) => `${noun} ${name === undefined ? id : `${name} (${id})`}`)
        .join(', ')}.`,
      'Pass the full id, or the name with --user-ids, --wallet-ids or --private-key-ids.',
    );
  return only;
}

/** Adds resolved objects to the given parameters. */
export function withTargets(values: Readonly<Record<string, unknown>>, targets: readonly Candidate[]): Record<string, unknown> {
  const added: Record<string, unknown> = { ...values };
  for (const { field, id } of targets) {
    const before = added[field];
    added[field] = field === 'wholeOrganization' ? true : [...(Array.isArray(before) ? before : []), id];
  }
  return added;
}

const organizationOf = ({ organizationId }: Client): Candidate => ({
  field: 'wholeOrganization',
  noun: 'organization',
  id: organizationId,
});

async function frozenObjects(client: Client): Promise<readonly Candidate[]> {
  const { freezes } = await client.listFreezes();
  return freezes.map(({ target, targetId }) => ({
    field: frozenFields[target],
    noun: target.toLowerCase().replace('_', ' '),
    id: targetId,
  }));
}

async function namedObjects(client: Client): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const field of Object.keys(kinds) as ListField[]) {
    const kind = namedKinds[kinds[field]];
    if (kind === undefined) continue;
    for await (const named of await kind.list(client)) found.push({ ...named, field, noun: kind.noun });
  }
  return found;
}
