import { createPrivateKey, madeUpId, privateKeyParams, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

/** A new private key tag, on a new key. */
async function newTag({ root }: Stage) {
  const privateKeyId = await createPrivateKey(root);
  const params = { privateKeyTagName: uniqueName('Tag'), privateKeyIds: [privateKeyId] };
  const { privateKeyTagId } = await root.result('createPrivateKeyTag', params);
  return { privateKeyId, privateKeyTagId };
}

export const keyCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: {
    succeeds: () => ({ params: { privateKeys: [privateKeyParams('CURVE_P256')] } }),
    refused: () => ({
      params: { privateKeys: [{ ...privateKeyParams('CURVE_P256'), privateKeyTags: [madeUpId()] }] },
      code: 'NOT_FOUND',
      fields: ['privateKeys.0.privateKeyTags.0'],
    }),
  },
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: {
    async succeeds(stage) {
      const { privateKeyTagId } = await newTag(stage);
      return { params: { privateKeys: [{ ...privateKeyParams('CURVE_ED25519'), privateKeyTags: [privateKeyTagId] }] } };
    },
    refused: () => ({
      params: { privateKeys: [privateKeyParams('CURVE_ED25519', ['ADDRESS_FORMAT_ETHEREUM'])] },
      code: 'REQUEST_INVALID',
      fields: ['privateKeys.0.addressFormats.0'],
    }),
  },
  ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: {
    succeeds: async ({ root }) => ({
      params: { privateKeyIds: [await createPrivateKey(root)], deleteWithoutExport: true },
    }),
    refused: async ({ root }) => ({
      params: { privateKeyIds: [await createPrivateKey(root)] },
      code: 'PRECONDITION_FAILED',
      fields: ['privateKeyIds.0'],
    }),
  },
  ACTIVITY_TYPE_DISABLE_PRIVATE_KEY: {
    succeeds: async ({ root }) => ({ params: { privateKeyId: await createPrivateKey(root) } }),
    refused: () => ({ params: { privateKeyId: madeUpId() }, code: 'NOT_FOUND', fields: ['privateKeyId'] }),
  },
  ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: {
    succeeds: async ({ root }) => ({
      params: { privateKeyTagName: uniqueName('Tag'), privateKeyIds: [await createPrivateKey(root)] },
    }),
    refused: () => ({
      params: { privateKeyTagName: uniqueName('Tag'), privateKeyIds: [madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['privateKeyIds.0'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: {
    async succeeds(stage) {
      const { privateKeyId, privateKeyTagId } = await newTag(stage);
      const addPrivateKeyIds = [await createPrivateKey(stage.root)];
      const newPrivateKeyTagName = uniqueName('Tag');
      return { params: { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds: [privateKeyId] } };
    },
    refused: () => ({
      params: { privateKeyTagId: madeUpId(), addPrivateKeyIds: [], removePrivateKeyIds: [] },
      code: 'NOT_FOUND',
      fields: ['privateKeyTagId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: {
    async succeeds(stage) {
      const { privateKeyTagId } = await newTag(stage);
      return { params: { privateKeyTagIds: [privateKeyTagId] } };
    },
    async refused(stage) {
      const { privateKeyTagId: id } = await newTag(stage);
      return { params: { privateKeyTagIds: [id, id] }, code: 'REQUEST_INVALID', fields: ['privateKeyTagIds.1'] };
    },
  },
};
