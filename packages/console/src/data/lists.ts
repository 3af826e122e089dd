import { type Client, CountersignError, type InputOf, type OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ask } from './ask.ts';
import { fieldErrors } from './errors.ts';

type QueryName = keyof Queries;

/** Second part of the query key of every whole list. */
export const WHOLE = 'whole';
const PAGE = '100';

/** Description of a list that the service returns whole or in pages. */
export interface ListOf<Name extends QueryName, Item> {
  readonly name: Name;
  items(answer: OutputOf<Queries[Name]>): readonly Item[];
  idOf(item: Item): string;
}

/** The options of a query for a whole list. */
export function wholeList<Name extends QueryName, Item>(
  reader: Client,
  queries: QueryClient,
  list: ListOf<Name, Item>,
  organizationId?: string,
) {
  const input = (organizationId === undefined ? {} : { organizationId }) as InputOf<Queries[Name]>;
  return queryOptions({
    queryKey: [list.name, WHOLE, input],
    queryFn: ({ signal }) => readWhole(reader, list, input, signal, (count) => tellLoaded(queries, list.name, count)),
  });
}

/** Reads a whole list from the service, without the cache. `tell` gets the number of rows read so far. */
export async function readWhole<Name extends QueryName, Item>(
  reader: Client,
  list: ListOf<Name, Item>,
  input: InputOf<Queries[Name]>,
  signal?: AbortSignal,
  tell: (count: number) => void = () => {},
): Promise<readonly Item[]> {
  try {
    return list.items(await ask(reader, list.name, input, signal));
  } catch (error) {
    if (!mustBePaged(error)) throw error;
    return allPages(reader, list, input, signal, tell);
  }
}

function tellLoaded(queries: QueryClient, name: QueryName, count: number): void {
  queries.setQueryData([name, 'loaded'], count);
}

function mustBePaged(error: unknown): boolean {
  return error instanceof CountersignError && 'paginationOptions' in fieldErrors(error);
}

async function allPages<Name extends QueryName, Item>(
  reader: Client,
  { name, items, idOf }: ListOf<Name, Item>,
  input: InputOf<Queries[Name]>,
  signal: AbortSignal | undefined,
  tell: (count: number) => void,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let after: string | undefined; ; ) {
    const paginationOptions = { limit: PAGE, ...(after !== undefined && { after }) };
    const page = items(await ask(reader, name, { ...input, paginationOptions } as InputOf<Queries[Name]>, signal));
    found.push(...page);
    tell(found.length);
    const last = page.at(-1);
    // Pages are ordered newest first.
    if (last === undefined || page.length < Number(PAGE)) return found.reverse();
    after = idOf(last);
  }
}

export const allUsers: ListOf<'listUsers', OutputOf<Queries['listUsers']>['users'][number]> = {
  name: 'listUsers',
  items: ({ users }) => users,
  idOf: ({ userId }) => userId,
};
export const allContacts: ListOf<'listContacts', OutputOf<Queries['listContacts']>['contacts'][number]> = {
  name: 'listContacts',
  items: ({ contacts }) => contacts,
  idOf: ({ contactId }) => contactId,
};
export const allWallets: ListOf<'listWallets', OutputOf<Queries['listWallets']>['wallets'][number]> = {
  name: 'listWallets',
  items: ({ wallets }) => wallets,
  idOf: ({ walletId }) => walletId,
};
export const allPrivateKeys: ListOf<'listPrivateKeys', OutputOf<Queries['listPrivateKeys']>['privateKeys'][number]> = {
  name: 'listPrivateKeys',
  items: ({ privateKeys }) => privateKeys,
  idOf: ({ privateKeyId }) => privateKeyId,
};
export const allPolicies: ListOf<'listPolicies', OutputOf<Queries['listPolicies']>['policies'][number]> = {
  name: 'listPolicies',
  items: ({ policies }) => policies,
  idOf: ({ policyId }) => policyId,
};
