import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { type ChainEndpoint, chainNamespace, endpointUrlProblem } from '../config/chain-endpoints.ts';
import { ConfigError } from '../config/config-error.ts';
import { readSecretFile } from '../config/secret-file.ts';
import type { Config } from '../config/settings.ts';
import { createEgressAllowlist } from '../network/egress-allowlist.ts';
import { compileBlocks, parseCidr } from '../network/ip-blocks.ts';
import { type ChainClient, createChainClient } from './chain-client.ts';
import { Endpoint, type EndpointAddress, type EndpointHealth } from './endpoint.ts';
import { createExchange } from './http-exchange.ts';
import { nodeProtocols } from './node-protocols.ts';

/** The nodes of chains that the operator configured. Nothing is contacted before a call. */
export interface ChainNodes {
  /** CAIP-2 names, in the order of the settings. */
  readonly chains: readonly string[];
  /** The client of a chain. Throws NOT_OFFERED, naming the setting, if the chain has no endpoint. */
  of(chain: string): ChainClient;
  /** The endpoints of each chain. */
  health(): Readonly<Record<string, readonly EndpointHealth[]>>;
  close(): void;
}

export interface ChainNodesReports {
  /** A request was made. `outcome` is `ok`, `rejected` or a failure. */
  request(chain: string, host: string, outcome: string): void;
  /** Endpoints gave different results. */
  disagreement(chain: string): void;
}

/** Far more than any call of the service needs. */
const MAX_RESPONSE_BYTES = 4_194_304;

type ChainSettings = Pick<Config, 'chainEndpoints' | 'chainNetworks' | 'chainTimeoutSeconds'>;

/** Reads the files that the settings name. Throws ConfigError if one cannot be used. */
export function openChainNodes(
  { chainEndpoints, chainNetworks, chainTimeoutSeconds }: ChainSettings,
  reports: ChainNodesReports,
  log: Pick<Logger, 'warn' | 'error'>,
  nowMs: () => number = () => performance.now(),
): ChainNodes {
  const egress = createEgressAllowlist(compileBlocks(chainNetworks.map(parseCidr)), 'chainNetworks');
  const exchange = createExchange(egress, { timeoutMs: chainTimeoutSeconds * 1000, maxBytes: MAX_RESPONSE_BYTES });
  const clients = new Map<string, ChainClient>();
  for (const { chain, endpoints } of chainEndpoints) {
    const namespace = chainNamespace(chain);
    if (namespace === undefined) throw new TypeError(`no protocol for ${chain}`);
    const services = {
      chain,
      protocol: nodeProtocols[namespace],
      exchange,
      nowMs,
      onRequest: (host: string, outcome: string) => reports.request(chain, host, outcome),
      onChange(host: string, error: Error | undefined) {
        if (error === undefined) log.warn({ chain, host }, 'a chain endpoint responds again');
        else log.error({ chain, host, reason: error.message }, 'a chain endpoint failed');
      },
    };
    const opened = endpoints.map((each, index) => {
      const address = readAddress(each, `chainEndpoints ${chain}.${index}`);
      const problem = egress.problemOf(address.url);
      if (problem !== undefined) throw new ConfigError(`chainEndpoints ${chain}.${index} ${problem}.`, 'Correct the setting.');
      return new Endpoint(address, services);
    });
    const client = createChainClient(chain, namespace, opened, {
      nowMs: Date.now,
      onDisagreement(method, hosts) {
        reports.disagreement(chain);
        log.error({ chain, method, hosts }, 'chain endpoints disagree');
      },
    });
    clients.set(chain, client);
  }
  return {
    chains: [...clients.keys()],
    of(chain) {
      const client = clients.get(chain);
      if (client !== undefined) return client;
      throw new ServiceError(
        'NOT_OFFERED',
        `This server has no connection to ${chain}. The operator can configure one with the setting chainEndpoints.`,
      );
    },
    health: () => Object.fromEntries([...clients].map(([chain, client]) => [chain, client.health()])),
    close: exchange.close,
  };
}

/** SECURITY: D761: no error shows the content of a file. */
function readAddress({ url, urlFile, bearerFile, header, headerFile }: ChainEndpoint, where: string): EndpointAddress {
  const text = url ?? readSecretFile(`${where}.urlFile`, urlFile as string).trim();
  const problem = endpointUrlProblem(text);
  if (problem !== undefined) throw new ConfigError(`The file of ${where}.urlFile ${problem}.`, 'Correct the file.');
  const headers: Record<string, string> = {};
  const secret = (name: string, path: string) => {
    const value = readSecretFile(`${where}.${name}`, path).trim();
    if (/^[\x21-\x7e][\x20-\x7e]*$/.test(value)) return value;
    throw new ConfigError(`The file of ${where}.${name} is not one line of printable characters.`, 'Correct the file.');
  };
  if (bearerFile !== undefined) headers.authorization = `Bearer ${secret('bearerFile', bearerFile)}`;
  if (header !== undefined && headerFile !== undefined) headers[header.toLowerCase()] = secret('headerFile', headerFile);
  return { url: new URL(text), headers };
}
