import { controlParams } from '../../../support/activity-params.ts';
import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

async function newControl({ root }: Stage, params = controlParams()): Promise<string> {
  return (await root.result('createVelocityControl', params)).velocityControlId;
}

const DAY = 24 * 60 * 60 * 1000;
const raise = (velocityControlId: string, newThreshold: string) => ({
  velocityControlId,
  newThreshold,
  until: String(Date.now() + DAY),
});
const notThere = () => ({ params: { velocityControlId: madeUpId() }, code: 'NOT_FOUND', fields: ['velocityControlId'] }) as const;

export const velocityControlCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL: {
    succeeds: () => ({ params: controlParams() }),
    async refused(stage) {
      const params = controlParams();
      await newControl(stage, params);
      return { params: { ...controlParams(), identifier: params.identifier }, code: 'NAME_TAKEN', fields: ['identifier'] };
    },
  },
  ACTIVITY_TYPE_UPDATE_VELOCITY_CONTROL: {
    succeeds: async (stage) => ({ params: { velocityControlId: await newControl(stage), name: uniqueName('Limit') } }),
    refused: async (stage) => ({
      params: { velocityControlId: await newControl(stage) },
      code: 'REQUEST_INVALID',
      fields: ['velocityControlId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL: {
    succeeds: async (stage) => ({ params: { velocityControlId: await newControl(stage) } }),
    refused: notThere,
  },
  ACTIVITY_TYPE_RESET_VELOCITY_CONTROL: {
    succeeds: async (stage) => ({ params: { velocityControlId: await newControl(stage) } }),
    refused: notThere,
  },
  ACTIVITY_TYPE_RAISE_VELOCITY_CONTROL: {
    succeeds: async (stage) => ({ params: raise(await newControl(stage), '100000.000000000000000001') }),
    refused: async (stage) => ({
      params: raise(await newControl(stage), '100000.0'),
      code: 'REQUEST_INVALID',
      fields: ['newThreshold'],
    }),
  },
};
