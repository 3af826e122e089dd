import { queries } from '@countersign/contract';
import { showPrivateKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPrivateKey = resolve(
  queries.getPrivateKey,
  async ({ resources, organization, showBeyondSpec }, { privateKeyId }) => {
    const key = await resources.get(organization.id, 'privateKey', privateKeyId);
    if (key === undefined) throw notFound('private key', 'privateKeyId');
    return { privateKey: showPrivateKey(key, showBeyondSpec ? organization : undefined) };
  },
);
