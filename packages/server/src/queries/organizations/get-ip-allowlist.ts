import { queries } from '@countersign/contract';
import { listIdOf } from '../../activities/organizations/ip-allowlists.ts';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showIpAllowlist } from '../show.ts';

export const getIpAllowlist = resolve(queries.getIpAllowlist, async ({ organization }, { publicKey }) => {
  const id = listIdOf(organization, publicKey);
  const list = organization.records.ipAllowlist.get(id);
  if (list === undefined) throw notFound('IP allowlist', 'publicKey');
  return { allowlist: showIpAllowlist(organization, id, list) };
});
