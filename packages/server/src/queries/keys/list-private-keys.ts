import { queries } from '@countersign/contract';
import { showPrivateKey } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listPrivateKeys = resolve(queries.listPrivateKeys, async ({ resources, organization, showBeyondSpec }) => ({
  privateKeys: (await resources.list(organization.id, 'privateKey')).map((key) => showPrivateKey(key, showBeyondSpec)),
}));
