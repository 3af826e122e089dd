import { createHash } from 'node:crypto';
import { activities, ServiceError } from '@countersign/contract';
import { rpcKeyOf } from '../../auth/rpc-key-of.ts';
import { turnkey } from '../../dialects/turnkey.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import type { TopUpRequests } from '../../sending/advance-top-up.ts';
import { rpcBodyEnd, rpcBodyStart } from '../../vault/keys/rpc-key.ts';
import { derSignature } from '../api/der-stamp.ts';
import type { Operate } from '../api/operations.ts';

/** The service is its own client, and nobody disconnects. */
const ownConnection = { destroyed: false, resetAndDestroy() {} };

/**
 * Requests top-ups by an RPC key of the sponsor's user: the vault stamps the body, and the pipeline treats it like that of any caller, under the
 * policies, limits and freezes of the sponsor's organization. The address of the caller is unknown, for allowlists.
 * SECURITY: D916: this module has no other way to pay. A user whom no policy lets pay sponsors nothing.
 */
export function topUpRequests(
  { vault, organizations, clock, admission }: Pick<PipelineServices, 'vault' | 'organizations' | 'clock' | 'admission'>,
  operate: Operate,
): TopUpRequests {
  return {
    fingerprintOf(organizationId, request) {
      const body = `${rpcBodyStart(organizationId, request)}${rpcBodyEnd(request.timestampMs)}`;
      return `sha256:${createHash('sha256').update(body).digest('hex')}`;
    },
    async submit({ organizationId, userId }, request) {
      const organization = await organizations.snapshots.current(organizationId);
      const key = organization && rpcKeyOf(organization, userId, clock.nowMs());
      if (key === undefined)
        throw new ServiceError(
          'PUBLIC_KEY_NOT_FOUND',
          `The user ${userId} of gasSponsors has no RPC key in the organization ${organizationId}, or it has expired. Create one with create_rpc_keys.`,
        );
      const { body, signature } = await vault.service.signRpc({ organizationId, presents: key.presents }, request);
      const headers = { 'x-stamp': `${key.publicKey}.${Buffer.from(derSignature(signature)).toString('hex')}` };
      const admitted = admission.request(undefined, ownConnection);
      try {
        const route = { kind: 'submit', dialect: turnkey, definition: activities[request.activity] } as const;
        await operate(route, headers, body, () => undefined, admitted);
      } finally {
        admitted.release();
      }
    },
  };
}
