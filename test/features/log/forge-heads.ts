import { hash } from 'node:crypto';
import type { Json } from '../../support/caller.ts';

const sessions = ['RECOVER_USER', 'EMAIL_AUTH', 'OTP_AUTH', 'READ_WRITE_SESSION', 'OAUTH', 'LOGIN'];

/** The kind and the description of a credential after their definition, without the code of the service. */
function describeCredential(kind: string, body: Json): Json {
  if (kind === 'authenticator') return { kind: 'PASSKEY', type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', strength: 'PASSKEY' };
  const { type, restrictedTo, origin, limitedTo } = body;
  const isSession = sessions.some((name) => type.startsWith(`CREDENTIAL_TYPE_${name}`));
  const strength = isSession ? 'SESSION' : 'API_KEY';
  if (restrictedTo !== undefined) return { kind: 'ONE_TIME_KEY', type, strength };
  if (!isSession) return { kind: 'API_KEY', type, strength };
  const profile = limitedTo === undefined ? {} : { profileId: limitedTo.sessionProfileId };
  const session = { method: origin?.method ?? 'SESSION', openedBy: origin?.openedBy ?? [], ...profile };
  return { kind: 'SESSION', type, strength, session };
}

export interface ForgedHead {
  readonly version: number;
  readonly digest: string;
}

/** Gives forged leaves of version 2 a head and an authorization that fit them. */
export class ForgedHeads {
  readonly #organizationId: string;
  readonly #credentials = new Map<string, Json>();
  readonly #policies = new Map<string, number>();
  #head: ForgedHead = { version: 0, digest: '' };
  /** The version that the file had before it was forged. */
  #before = 0;

  constructor(organizationId: string) {
    this.#organizationId = organizationId;
  }

  get head(): ForgedHead {
    return this.#head;
  }

  /**
   * The opening as a leaf of version 2. Changes the decision in the content, which names versions too. `isKept`: the vote is as it was, so an
   * authorization of version 2 still fits.
   */
  opening(opening: Json, content: Json | undefined, isKept: boolean): Json {
    const isOwn = opening.organizationId === this.#organizationId;
    const { vote, decision, changed, judgedBy: parentId } = content ?? {};
    if (isOwn && decision?.version === 2) {
      decision.head = this.#head.version;
      for (const each of decision.evaluations) each.revision = this.#policies.get(each.policyId) ?? 0;
    }
    const before = this.#head;
    const changes = (changed?.changes ?? []).flatMap((each: Json) =>
      each.create === this.#organizationId ? each.changes : each,
    );
    if (isOwn) this.#move(opening, changes);
    else this.#head = headAt(1);
    const credential = this.#credentials.get(vote?.credentialId);
    this.#apply(changes);
    if (content !== undefined) delete content.judgedBy;
    const created = isOwn ? opening.created : [{ organizationId: this.#organizationId, ...named(this.#head) }];
    const judgedBy = opening.judgedBy ?? parentId;
    const { version: _, shard: __, organizationId, sequence, previousLeaf, activityId, fingerprint, type, status } = opening;
    return {
      version: 2,
      shard: 0,
      organizationId,
      sequence,
      previousLeaf,
      activityId,
      revision: opening.revision ?? 0,
      fingerprint,
      type,
      status,
      decisionDigest: opening.decisionDigest,
      resultDigest: opening.resultDigest,
      timeMs: opening.timeMs,
      ...(judgedBy !== undefined && { judgedBy }),
      ...this.#authorization(
        opening,
        isKept && opening.version === 2 ? undefined : vote,
        credential,
        judgedBy ?? (isOwn ? undefined : organizationId),
      ),
      ...(isOwn ? named(this.#head) : { headVersion: 7, headDigest: hash('sha256', 'parent') }),
      ...(created !== undefined && before.version === 0 && !isOwn && { created }),
    };
  }

  #move({ headVersion }: Json, changes: readonly Json[]): void {
    const isMoved = headVersion === undefined ? changes.length > 0 : headVersion !== this.#before;
    if (isMoved || this.#head.version === 0) this.#head = headAt(this.#head.version + 1);
    this.#before = headVersion ?? 0;
  }

  #apply(changes: readonly Json[]): void {
    for (const { put, id, body } of changes) {
      if (put === 'apiKey' || put === 'authenticator') this.#credentials.set(id, describeCredential(put, body));
      if (put === 'policy') this.#policies.set(id, this.#head.version);
    }
  }

  #authorization(opening: Json, vote: Json | undefined, credential: Json | undefined, judgedBy: string | undefined): Json {
    const { credentialKind, authorizationDigest } = opening;
    if (authorizationDigest !== undefined && vote === undefined) return { credentialKind, authorizationDigest };
    if (judgedBy !== undefined || vote === undefined)
      return {
        credentialKind: credentialKind ?? (judgedBy === undefined ? 'NONE' : 'API_KEY'),
        authorizationDigest: authorizationDigest ?? (judgedBy === undefined ? '' : hash('sha256', 'parent')),
      };
    const { body: _, ...shown } = vote;
    const text = JSON.stringify({ organizationId: this.#organizationId, credential, vote: shown });
    return { credentialKind: credential?.kind ?? 'API_KEY', authorizationDigest: hash('sha256', text) };
  }
}

function headAt(version: number): ForgedHead {
  return { version, digest: hash('sha256', `head ${version}`) };
}

function named({ version, digest }: ForgedHead): Json {
  return { headVersion: version, headDigest: digest };
}
