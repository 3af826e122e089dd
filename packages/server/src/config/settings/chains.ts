import { chainEndpoints } from '../chain-endpoints.ts';
import { explorerUrls } from '../explorer-urls.ts';
import { gasSponsors } from '../gas-sponsors.ts';
import type { Setting } from '../setting.ts';
import { blocks, whole } from '../setting-values.ts';

/** Connections to nodes of chains. */
export const chainSettings = {
  chainEndpoints: {
    schema: chainEndpoints,
    default: '{}',
    describe:
      'Nodes of chains that the service may connect to: a JSON object from CAIP-2 names to lists of endpoints, each a URL or an object with url or urlFile, and bearerFile, or header and headerFile. Without it the service connects to no chain',
    form: 'json',
    hideInvalid: true,
  },
  chainNetworks: {
    schema: blocks,
    default: '',
    describe:
      'Private networks that chain endpoints may be in, also over plain http: CIDR blocks such as 10.0.0.0/8, comma-separated',
    form: 'list',
  },
  explorerUrls: {
    schema: explorerUrls,
    default: '{}',
    describe:
      'Explorers that the console links hashes of transactions to: a JSON object from CAIP-2 names to https URLs with {hash}. Whoever follows a link tells the explorer which transaction interests them. Without it there are no links',
    form: 'json',
  },
  chainTimeoutSeconds: {
    schema: whole(1, 120),
    default: '10',
    describe: 'How long one request to a chain endpoint may take, including its response',
  },
  chainReadsPerOrganization: {
    schema: whole(0, 100_000),
    default: '5',
    describe:
      'Requests per second that a process sends to chain endpoints for the queries of one organization and its sub-organizations; 0 is no limit',
  },
  chainHistoryBlocks: {
    schema: whole(1, 10_000),
    default: '1000',
    describe:
      'How many blocks of an EVM chain are searched for token transfers in one request. Some providers accept fewer; then no history is shown until this is lowered',
  },
  chainSendsPerOrganization: {
    schema: whole(0, 100_000),
    default: '100',
    describe:
      'Requests per second that a process sends to chain endpoints to complete the transactions of one organization and its sub-organizations, and as many to follow them; 0 is no limit',
  },
  sendConfirmations: {
    schema: whole(1, 10_000),
    default: '12',
    describe: 'How many blocks must contain or follow a sent transaction before its state is final',
  },
  sendMaxFeeGwei: {
    schema: whole(1, 1_000_000_000),
    default: '500',
    describe:
      'The highest fee per unit of gas, in gwei, that the service suggests for a transaction to send. Callers may give a higher one',
  },
  gasSponsors: {
    schema: gasSponsors,
    default: '{}',
    describe:
      'Who pays for the fees of transactions with sponsor: true: a JSON object from CAIP-2 names of EVM chains to objects with organizationId, userId of an API-only user with an RPC key, signWith (the address that pays), maxWeiPerSend (the most for one transaction) and gasLimit (of a top-up, 21000 by default). It pays for its organization and the sub-organizations of that. Without it such transactions are refused',
    form: 'json',
  },
} as const satisfies Record<string, Setting>;
