import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showPrivateKey } from '../show.ts';

export const listPrivateKeys = resolve(queries.listPrivateKeys, async ({ resources, organization, showBeyondSpec }) => ({
  privateKeys: (await resources.list(organization.id, 'privateKey')).map((key) => showPrivateKey(key, showBeyondSpec)),
}));
