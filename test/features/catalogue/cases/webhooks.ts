import { unroutedUrl } from '../../../support/unrouted-url.ts';
import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

/** An endpoint that gets an event when a secret is exported. */
const endpoint = () => {
  const filtersJson = JSON.stringify({ types: ['ACTIVITY_TYPE_EXPORT_PRIVATE_KEY', 'ACTIVITY_TYPE_EXPORT_WALLET'] });
  return { url: unroutedUrl, name: uniqueName('Webhook'), subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson }] };
};

async function newEndpoint({ root }: Stage): Promise<string> {
  return (await root.result('createWebhookEndpoint', endpoint())).endpointId;
}

export const webhookCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT: {
    succeeds: () => ({ params: endpoint() }),
    refused: () => ({
      params: { ...endpoint(), url: 'https://169.254.169.254/' },
      code: 'REQUEST_INVALID',
      fields: ['url'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: {
    succeeds: async (stage) => ({
      params: { endpointId: await newEndpoint(stage), name: uniqueName('Renamed'), isActive: false },
    }),
    refused: async (stage) => ({
      params: { endpointId: await newEndpoint(stage) },
      code: 'REQUEST_INVALID',
      fields: ['endpointId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: {
    succeeds: async (stage) => ({ params: { endpointId: await newEndpoint(stage) } }),
    refused: () => ({ params: { endpointId: madeUpId() }, code: 'NOT_FOUND', fields: ['endpointId'] }),
  },
  ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT: {
    succeeds: async (stage) => ({ params: { endpointId: await newEndpoint(stage) } }),
    refused: async (stage) => {
      const endpointId = await newEndpoint(stage);
      await stage.root.result('updateWebhookEndpoint', { endpointId, isActive: false });
      return { params: { endpointId }, code: 'REQUEST_INVALID', fields: ['endpointId'] };
    },
  },
};
