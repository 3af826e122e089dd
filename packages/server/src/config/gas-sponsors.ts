import { JsonError, readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import type { ConfiguredChain } from './chain-endpoints.ts';
import { ConfigError } from './config-error.ts';

/** Who pays for the fees of sponsored transactions on one EVM chain. */
export interface GasSponsor {
  /** CAIP-2 name. */
  readonly chain: string;
  /** The organization that pays for itself and its sub-organizations. */
  readonly organizationId: string;
  /** The API-only user of that organization who requests the top-ups. Has an RPC key. */
  readonly userId: string;
  /** The address that pays, in lower case. */
  readonly signWith: string;
  /** The most that one transaction gets, in wei. */
  readonly maxWeiPerSend: string;
  /** The gas limit of a top-up. */
  readonly gasLimit: string;
}

const EXAMPLE = '{"eip155:1":{"organizationId":"…","userId":"…","signWith":"0x…","maxWeiPerSend":"2000000000000000"}}';

/** What a transfer takes if nothing is executed. */
const TRANSFER_GAS = '21000';

const uuid = z
  .string()
  .regex(
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'must be an id in lower case, such as 0198c0de-0000-7000-8000-000000000000',
  );

const sponsor = z.strictObject({
  organizationId: uuid,
  userId: uuid,
  signWith: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
    .transform((address) => address.toLowerCase()),
  // SECURITY: D912: required, because a caller chooses the highest fee.
  maxWeiPerSend: z.string().regex(/^[1-9]\d{0,30}$/, 'must be a whole number of wei above 0, as a string'),
  // SECURITY: D952: never an estimate, because an account can obey code that its owner chose.
  gasLimit: z
    .string()
    .regex(/^([3-9]\d|2[1-9]|[1-9]\d{2,3})\d{3}$/, 'must be a whole number from 21000 to 9999999, as a string')
    .default(TRANSFER_GAS),
});

/** The setting: a JSON object from chains to their sponsors. An empty text or object names none. */
export const gasSponsors = z.string().transform((text, context): readonly GasSponsor[] => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (text.trim() === '') return [];
  const given = z.record(z.string(), z.unknown()).safeParse(parse(text));
  if (!given.success) return refuse(`must be a JSON object from chains to sponsors such as ${EXAMPLE}`);
  const sponsors: GasSponsor[] = [];
  for (const [chain, value] of Object.entries(given.data)) {
    if (!/^eip155:[1-9]\d{0,18}$/.test(chain)) return refuse('must name EVM chains only, such as eip155:1');
    const parsed = sponsor.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refuse(`is wrong at ${[chain, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
    }
    sponsors.push({ chain, ...parsed.data });
  }
  return sponsors;
});

function parse(text: string): unknown {
  try {
    return readStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Rejected like everything that is not an object.
    return undefined;
  }
}

/** Throws ConfigError for a sponsor on a chain that the service does not connect to. */
export function checkGasSponsors({
  gasSponsors: sponsors,
  chainEndpoints,
}: {
  readonly gasSponsors: readonly GasSponsor[];
  readonly chainEndpoints: readonly ConfiguredChain[];
}): void {
  const unknown = sponsors.find(({ chain }) => !chainEndpoints.some((configured) => configured.chain === chain));
  if (unknown === undefined) return;
  throw new ConfigError(
    `--gas-sponsors names ${unknown.chain}, and --chain-endpoints does not.`,
    `Name the nodes of ${unknown.chain} with --chain-endpoints, or remove its sponsor.`,
  );
}
