import { activities } from '@countersign/contract';
import type { Opening } from '@countersign/tlog';
import { AuditError, must } from './audit-error.ts';
import { currentParameters, knownType, readBody, redactedParameters, requireWithholdable } from './body.ts';
import type { Content, LocalChange } from './format/lines.ts';
import { createdState, firstState } from './rules/creation.ts';
import type { State } from './state/state.ts';
import { digestOf, digestOfText } from './text.ts';

/** An organization at its creation, and the changes that made it. */
export interface Created {
  readonly state: State;
  readonly changes: readonly LocalChange[];
}

/** The first organization of an installation. Its creation has no stamp. */
export function firstOrganization(organizationId: string, opening: Opening, content: Content): Created {
  const { sequence, type, fingerprint, status, resultDigest, decisionDigest } = opening;
  const isFirst = sequence === 1 && fingerprint === `init:${organizationId}` && status === 'ACTIVITY_STATUS_COMPLETED';
  must(isFirst && type === activities.createOrganization.type, 'the creation of the organization is not in the file');
  const isUnauthorized = opening.version === undefined || (opening.credentialKind === 'NONE' && opening.judgedBy === undefined);
  must(isUnauthorized, 'the creation of the first organization has no credential');
  const { result, changed, ...rest } = content;
  must(Object.keys(rest).length === 0 && decisionDigest === '', 'the creation of the first organization has no votes');
  if (changed === undefined)
    throw new AuditError('the organization was created before the service stored what is needed to verify it');
  must(digestOf({ result, changed }) === resultDigest, 'the creation does not match the log');
  const changes = changed.changes.map((change) => {
    if ('create' in change) throw new AuditError('the creation of the first organization created another one');
    return change;
  });
  return { state: firstState(organizationId, changes), changes };
}

/** The organization that an activity of another organization created. */
export function createdOrganization(
  organizationId: string,
  opening: Opening,
  content: Content,
): Created & { readonly isWithheld: boolean } {
  const { definition, version } = knownType(opening.type);
  const { createOrganization, createSubOrganization } = activities;
  const creates = [createOrganization.name, createSubOrganization.name].some((name) => name === definition.name);
  must(creates && opening.status === 'ACTIVITY_STATUS_COMPLETED', 'it did not create this organization');
  const { body, result, changed, ...rest } = content;
  must(Object.keys(rest).length === 0 && changed !== undefined, 'its created organization is missing');
  must(digestOf({ result, changed }) === opening.resultDigest, 'its created organization does not match the log');
  const params = creationParameters(opening, body, changed.parameters);
  const [created, ...others] = changed.changes.filter((change) => 'create' in change);
  must(created?.create === organizationId && others.length === 0, 'it created another organization');
  const creation = { name: definition.name, creatorId: opening.organizationId, params: params(version), result };
  const state = createdState(organizationId, created.changes, creation);
  return { state, changes: created.changes, isWithheld: body === undefined };
}

function creationParameters(opening: Opening, body: string | undefined, redacted: unknown) {
  const { definition } = knownType(opening.type);
  if (body === undefined) {
    requireWithholdable(definition);
    must(redacted !== undefined, 'its parameters are missing');
    return (version: Parameters<typeof currentParameters>[0]) => redactedParameters(version, redacted);
  }
  must(`sha256:${digestOfText(body)}` === opening.fingerprint, 'its fingerprint is not that of the stamped body');
  const request = readBody(body);
  must(request.type === opening.type, 'its type is not that of the stamped body');
  must(request.organizationId.toLowerCase() === opening.organizationId, 'it was stamped for another organization');
  return (version: Parameters<typeof currentParameters>[0]) => currentParameters(version, request.parameters);
}
