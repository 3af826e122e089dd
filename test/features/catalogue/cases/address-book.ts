import { randomBytes } from 'node:crypto';
import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const contact = (more: object = {}) => ({
  label: uniqueName('Vendor'),
  address: newAddress(),
  contactTags: ['vendors'],
  ...more,
});
const token = (more: object = {}) => ({
  asset: `eip155:1/erc20:${newAddress()}`,
  symbol: `T${randomBytes(6).toString('hex')}`,
  decimals: 6,
  ...more,
});

async function newContact({ root }: Stage): Promise<string> {
  return (await root.result('createContacts', { contacts: [contact()] })).contactIds[0];
}

async function newToken({ root }: Stage): Promise<string> {
  return (await root.result('createTokens', { tokens: [token()] })).tokenIds[0];
}

export const addressBookCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_CONTACTS: {
    succeeds: () => ({ params: { contacts: [contact(), contact()] } }),
    refused: () => ({
      params: { contacts: [contact(), contact({ address: '0x1234' })] },
      code: 'REQUEST_INVALID',
      fields: ['contacts.1.address'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_CONTACT: {
    succeeds: async (stage) => ({ params: { contactId: await newContact(stage), contactTags: ['payroll', 'vendors'] } }),
    refused: () => ({ params: { contactId: madeUpId() }, code: 'NOT_FOUND', fields: ['contactId'] }),
  },
  ACTIVITY_TYPE_DELETE_CONTACTS: {
    succeeds: async (stage) => ({ params: { contactIds: [await newContact(stage)] } }),
    refused: async (stage) => ({
      params: { contactIds: [await newContact(stage), madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['contactIds.1'],
    }),
  },
  ACTIVITY_TYPE_CREATE_TOKENS: {
    succeeds: () => ({ params: { tokens: [token()] } }),
    refused: () => ({
      params: { tokens: [token({ asset: `eip155:0/erc20:${newAddress()}` })] },
      code: 'REQUEST_INVALID',
      fields: ['tokens.0.asset'],
    }),
  },
  ACTIVITY_TYPE_DELETE_TOKENS: {
    succeeds: async (stage) => ({ params: { tokenIds: [await newToken(stage)] } }),
    refused: () => ({ params: { tokenIds: [madeUpId()] }, code: 'NOT_FOUND', fields: ['tokenIds.0'] }),
  },
};
