import type { AdmittedRequest } from '../../admission/index.ts';
import type { PipelineServices } from '../services.ts';
import { type Authenticated, authenticate, findCredential, type StampedBody } from './authenticate.ts';
import { recordFirstUse } from './authenticate-request.ts';
import { authenticateSession, type PresentedSession } from './read-only-session.ts';

/** Proves the caller of a query. */
export interface ReaderProof {
  /** With `asParent`, a credential that a sub-organization and its parent both know is that of the parent's user. */
  prove(asParent: boolean): Promise<Authenticated>;
  /** Whether the parent of the organization knows the credential of the stamp, which need not verify. */
  isKnownToParent(): Promise<boolean>;
}

interface Presented {
  readonly organizationId: string;
  /** A stamp over the body, or the token of a read-only session. */
  readonly proof: StampedBody | PresentedSession;
  readonly admitted: Pick<AdmittedRequest, 'read'>;
}

/**
 * SECURITY: no commit checks a query's view of the organization, so every query reads the stored version: a credential that another node
 * removed is rejected immediately.
 */
export function readerProof(services: PipelineServices, { organizationId, proof, admitted }: Presented): ReaderProof {
  const { clock, auth } = services;
  const current = (id: string) => admitted.read(() => services.organizations.snapshots.current(id));
  const fresh = { target: current, parent: current };

  return {
    async prove(asParent) {
      if ('session' in proof) return authenticateSession(fresh, organizationId, proof, clock.nowMs());
      const how = asParent ? { isOfParent: async () => true } : {};
      const prove = () => authenticate(fresh, auth.stampRules, organizationId, proof, clock.nowMs(), how);
      return recordFirstUse(services, await prove(), prove);
    },

    async isKnownToParent() {
      if ('session' in proof) return false;
      const parentId = (await current(organizationId))?.profile.parentId ?? null;
      const parent = parentId === null ? undefined : await current(parentId);
      return parent !== undefined && findCredential(parent, proof.stamp) !== undefined;
    },
  };
}
