import { has, hasChangedOnly, hasEnded, isNew, nothing, type Rules } from './rule.ts';

export const secretRules: Rules<'initImportSecrets' | 'importSecrets' | 'exportSecrets' | 'deleteSecrets'> = {
  initImportSecrets: nothing,
  importSecrets(change, { params, result }) {
    if (!isNew(change, 'secret')) return false;
    const asked = params.secrets[result.secretIds.indexOf(change.id)];
    if (asked === undefined) return false;
    const { name, staticProperties = [] } = asked;
    return has(change.after, { name, staticProperties, exported: false });
  },
  exportSecrets: (change, { params }) =>
    hasChangedOnly(change, 'secret', ['exported']) &&
    change.after.exported &&
    params.secrets.some(({ secretId }) => secretId === change.id),
  deleteSecrets: (change, { params }) => hasEnded(change, 'secret') && params.secretIds.includes(change.id),
};
