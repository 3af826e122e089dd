import { type ActivityDefinition, activities, queries } from '@countersign/contract';
import { deniedWords, type SureDenials, surelyDeniedInSteps } from '@countersign/judgement';
import { runInSlices } from '../../admission/index.ts';
import { resolve } from '../../pipeline/query.ts';

const definitions: readonly ActivityDefinition[] = Object.values(activities);

/** SECURITY: D998: about the caller alone, as the policies of the caller's organization decide. */
export const getDeniedActivityTypes = resolve(queries.getDeniedActivityTypes, async ({ snapshots, caller, endSlice }) => {
  const { userId, organizationId } = caller;
  const organization = await snapshots.get(organizationId);
  if (organization === undefined) throw new Error(`the organization ${organizationId} of a caller is missing`);
  const { always, aboutOthers } = await runInSlices(surelyDeniedInSteps(definitions, { organization, userId }), endSlice);
  return { denials: byReason(always), denialsAboutOthers: byReason(aboutOthers) };
});

const reasons = queries.getDeniedActivityTypes.output.shape.denials.element.shape.by.options;

function byReason(denied: SureDenials['always']) {
  return reasons.flatMap((reason) => {
    const types = [...denied].filter(([, by]) => by === reason).map(([{ type }]) => type);
    return types.length === 0 ? [] : [{ by: reason, text: deniedWords(reason), types }];
  });
}
