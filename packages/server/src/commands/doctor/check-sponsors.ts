import { ServiceError } from '@countersign/contract';
import { whyNotApiOnly } from '../../auth/api-only-user.ts';
import { rpcKeyOf } from '../../auth/rpc-key-of.ts';
import type { GasSponsor } from '../../config/gas-sponsors.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Finding } from './finding.ts';

type Load = (organizationId: string) => Promise<Snapshot | undefined>;

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** Checks whether the users of sponsors can request top-ups. Their accounts and policies are not looked at. */
export async function checkSponsors(sponsors: readonly GasSponsor[], load: Load, nowMs: number): Promise<readonly Finding[]> {
  return Promise.all(
    sponsors.map(async (sponsor) => {
      const { chain, organizationId } = sponsor;
      const found = await load(organizationId).catch((error: unknown) => {
        // Reported with the state of the organization.
        if (error instanceof ServiceError) return undefined;
        throw error;
      });
      const problem = problemOf(sponsor, found, nowMs);
      const check = 'gas sponsor';
      if (problem === undefined) return { check, ok: true, detail: `${organizationId} can pay for fees on ${chain}` };
      return { check, ok: true, warning: true, detail: `${chain}: ${problem[0]}`, fix: problem[1] };
    }),
  );
}

function problemOf(
  { organizationId, userId }: GasSponsor,
  organization: Snapshot | undefined,
  nowMs: number,
): readonly [problem: string, fix: string] | undefined {
  if (organization === undefined)
    return [`the organization ${organizationId} of gasSponsors cannot be read`, 'Correct organizationId in gasSponsors.'];
  if (!organization.users.has(userId))
    return [`the organization ${organizationId} has no user ${userId}`, 'Correct userId in gasSponsors.'];
  const why = whyNotApiOnly(organization, userId);
  const another = 'Create a user for it with create_api_only_users.';
  if (why !== undefined) return [`the user ${userId} of gasSponsors ${why}, so it requests no top-ups`, another];
  const renew = `Create one with create_rpc_keys for the user ${userId}.`;
  if (rpcKeyOf(organization, userId, nowMs) === undefined)
    return [`the user ${userId} of gasSponsors has no RPC key, or it has expired, so gas is not sponsored`, renew];
  if (rpcKeyOf(organization, userId, nowMs + MONTH_MS) === undefined)
    return [`the last RPC key of the user ${userId} of gasSponsors expires within 30 days`, renew];
  return undefined;
}
