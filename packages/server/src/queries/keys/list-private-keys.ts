import { queries } from '@countersign/contract';
import type { Resource } from '../../organizations/records.ts';
import { showPrivateKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { matcherOf, matchingPage } from '../matching.ts';
import { listResources, toPage } from '../page.ts';

export const listPrivateKeys = resolve(queries.listPrivateKeys, async (context, { matching, paginationOptions }) => {
  const { organization, resources, showBeyondSpec } = context;
  const show = (key: Resource<'privateKey'>) => showPrivateKey(key, showBeyondSpec ? organization : undefined);
  if (matching === undefined) return { privateKeys: await listResources(context, 'privateKey', paginationOptions, show) };
  const isMatch = matcherOf(matching);
  const { found, next } = await matchingPage(
    context,
    toPage(paginationOptions),
    (page) => resources.page(organization.id, 'privateKey', page),
    ({ id, body }) => isMatch(id, [body.privateKeyName, ...body.addresses.map(({ address }) => address)]),
  );
  return { privateKeys: found.map(show), ...(next !== undefined && { next }) };
});
