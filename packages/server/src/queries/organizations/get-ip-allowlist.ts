import { queries } from '@countersign/contract';
import { listIdOf } from '../../auth/ip-allowlist.ts';
import { showIpAllowlist } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getIpAllowlist = resolve(queries.getIpAllowlist, async ({ organization }, { publicKey }) => {
  const id = listIdOf(organization, publicKey);
  const list = organization.records.ipAllowlist.get(id);
  if (list === undefined) throw notFound('IP allowlist', 'publicKey');
  return { allowlist: showIpAllowlist(organization, id, list) };
});
