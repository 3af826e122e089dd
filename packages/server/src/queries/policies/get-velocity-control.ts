import { queries } from '@countersign/contract';
import { showControl, showUsage } from '../../organizations/show-control.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

/** Maximum number of buckets in a response. */
const MAX_SHOWN = 20;

export const getVelocityControl = resolve(
  queries.getVelocityControl,
  async ({ organization, usage, nowMs }, { velocityControlId: controlId }) => {
    const control = organization.records.velocityControl.get(controlId);
    if (control === undefined) throw notFound('velocity control', 'velocityControlId');
    const latest = (await usage?.latest(organization.id, { controlId, control }, MAX_SHOWN, nowMs)) ?? [];
    return {
      velocityControl: {
        ...showControl(organization, controlId, control, nowMs),
        usage: latest.map((each) => showUsage(organization, control, each, nowMs)),
      },
    };
  },
);
