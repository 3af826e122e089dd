import { queries } from '@countersign/contract';
import { showAuthenticator } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireSelf } from '../own.ts';

export const getAuthenticator = resolveScoped(queries.getAuthenticator, {
  all: show,
  async own(context, input) {
    const { authenticators } = context.organization;
    requireSelf(context, queries.getAuthenticator, authenticators.get(input.authenticatorId)?.userId);
    return show(context, input);
  },
});

async function show({ organization }: QueryContext, { authenticatorId }: { readonly authenticatorId: string }) {
  const authenticator = organization.authenticators.get(authenticatorId);
  if (authenticator === undefined) throw notFound('authenticator', 'authenticatorId');
  return { authenticator: showAuthenticator(authenticatorId, authenticator) };
}
