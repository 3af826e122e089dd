import { madeUpId } from '../../../support/world.ts';
import { importSecrets, prepareSecret, SUITE } from '../../secrets/secret-support.ts';
import { newTarget } from '../../sign-in/transfer-support.ts';
import type { CatalogueCases } from '../support/catalogue-case.ts';

const encryptionSuite = SUITE;

export const secretCases: CatalogueCases = {
  ACTIVITY_TYPE_INIT_IMPORT_SECRETS: {
    succeeds: () => ({ params: { encryptionSuite, numSecrets: 2 } }),
    refused: () => ({ params: { encryptionSuite, numSecrets: 33 }, code: 'REQUEST_INVALID', fields: ['numSecrets'] }),
  },
  ACTIVITY_TYPE_IMPORT_SECRETS: {
    succeeds: async ({ root }) => ({ params: { secrets: [await prepareSecret(root, 'content', { name: 'One' })] } }),
    refused: () => ({
      params: { secrets: [{ secretPayload: '{}', targetPublicKey: newTarget().hex, encryptionSuite }] },
      code: 'BUNDLE_INVALID',
      fields: ['secrets.0.secretPayload'],
    }),
  },
  ACTIVITY_TYPE_EXPORT_SECRETS: {
    async succeeds({ root }) {
      const [secretId] = await importSecrets(root, ['content']);
      return { params: { secrets: [{ secretId, targetPublicKey: newTarget().hex, encryptionSuite }] } };
    },
    refused: () => ({
      params: { secrets: [{ secretId: madeUpId(), targetPublicKey: newTarget().hex, encryptionSuite }] },
      code: 'NOT_FOUND',
      fields: ['secrets.0.secretId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_SECRETS: {
    succeeds: async ({ root }) => ({ params: { secretIds: await importSecrets(root, ['content']) } }),
    refused: () => ({ params: { secretIds: [madeUpId()] }, code: 'NOT_FOUND', fields: ['secretIds.0'] }),
  },
};
