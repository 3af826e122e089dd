import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import type { Call, Endpoint, EndpointHealth } from './endpoint.ts';
import { EndpointError, NodeRejection } from './node-errors.ts';

/** What one endpoint responded. */
export type Answer<T> = { readonly host: string } & (
  | { readonly status: 'ok'; readonly value: T }
  | { readonly status: 'rejected'; readonly rejection: NodeRejection }
  | { readonly status: 'failed'; readonly error: EndpointError }
);

/** Calls the nodes of one chain. */
export interface ChainClient {
  /** CAIP-2 name. */
  readonly chain: string;
  readonly namespace: ChainNamespace;
  /** How many endpoints are configured. */
  readonly endpoints: number;
  /**
   * Calls the first endpoint that gives a valid response. Throws CHAIN_UNAVAILABLE if none does, and NodeRejection if the node rejects the
   * call. Not for calls that must not be repeated: an endpoint that failed may have executed it.
   */
  call<T>(call: Call<T>): Promise<T>;
  /** Calls every endpoint, also those that failed before. Never throws: the answers are in the order of the settings. */
  callAll<T>(call: Call<T>): Promise<readonly Answer<T>[]>;
  /** The results of the endpoints that give one. If several are configured, at least two. Otherwise throws CHAIN_UNAVAILABLE. */
  every<T>(call: Call<T>): Promise<readonly T[]>;
  /**
   * Calls every endpoint and returns the result that all of them give. If several endpoints are configured, at least two must respond.
   * Throws CHAIN_DISAGREEMENT if they still differ after a second try, CHAIN_UNAVAILABLE, or the NodeRejection that all of them give.
   */
  agree<T>(call: Call<T>): Promise<T>;
  health(): readonly EndpointHealth[];
}

export interface ClientServices {
  /** The time of day. */
  nowMs(): number;
  /** The endpoints gave different results. */
  onDisagreement(method: string, hosts: readonly string[]): void;
}

/** A block may reach one endpoint before another. */
const SECOND_TRY_MS = 1_500;

export function createChainClient(
  chain: string,
  namespace: ChainNamespace,
  endpoints: readonly Endpoint[],
  { nowMs, onDisagreement }: ClientServices,
): ChainClient {
  async function ask<T>(endpoint: Endpoint, call: Call<T>): Promise<Answer<T>> {
    const { host } = endpoint;
    try {
      return { host, status: 'ok', value: await endpoint.call(call) };
    } catch (error) {
      if (error instanceof NodeRejection) return { host, status: 'rejected', rejection: error };
      if (error instanceof EndpointError) return { host, status: 'failed', error };
      throw error;
    }
  }

  const unavailable = (errors: readonly (readonly [host: string, problem: string])[], cause?: EndpointError) => {
    const pauseMs = Math.min(...endpoints.map((endpoint) => endpoint.pauseMs()));
    return new ServiceError('CHAIN_UNAVAILABLE', `No endpoint of ${chain} gives a valid response. Retry later.`, {
      retryAtMs: nowMs() + Math.max(1_000, pauseMs),
      reason: errors.map(([host, problem]) => `${host}: ${problem}`).join('; '),
      ...(cause !== undefined && { cause }),
    });
  };

  function unavailableAfter(answers: readonly Answer<unknown>[]): ServiceError {
    const failed = answers.filter((answer) => answer.status === 'failed');
    return unavailable(
      failed.map(({ host, error }) => [host, error.message]),
      failed[0]?.error,
    );
  }

  async function call<T>(asked: Call<T>): Promise<T> {
    const errors: [string, string][] = [];
    for (const endpoint of endpoints) {
      if (endpoint.pauseMs() > 0) {
        errors.push([endpoint.host, `paused after ${endpoint.health().failure}`]);
        continue;
      }
      const answer = await ask(endpoint, asked);
      if (answer.status === 'ok') return answer.value;
      if (answer.status === 'rejected') throw answer.rejection;
      errors.push([answer.host, answer.error.message]);
    }
    throw unavailable(errors);
  }

  const callAll = <T>(asked: Call<T>) => Promise.all(endpoints.map((endpoint) => ask(endpoint, asked)));

  async function every<T>(asked: Call<T>): Promise<readonly T[]> {
    const answers = await callAll(asked);
    const values = answers.flatMap((answer) => (answer.status === 'ok' ? [answer.value] : []));
    if (values.length >= Math.min(2, endpoints.length)) return values;
    throw unavailableAfter(answers);
  }

  /** The result of all that responded, or undefined if they differ. */
  async function compare<T>(asked: Call<T>): Promise<{ readonly answer?: Answer<T>; readonly hosts: readonly string[] }> {
    const answers = await callAll(asked);
    const given = answers.filter(({ status }) => status !== 'failed');
    const [first] = given;
    if (first === undefined || given.length < Math.min(2, endpoints.length)) throw unavailableAfter(answers);
    const texts = new Set(given.map(textOf));
    return { hosts: given.map(({ host }) => host), ...(texts.size === 1 && { answer: first }) };
  }

  async function agree<T>(asked: Call<T>): Promise<T> {
    let found = await compare(asked);
    if (found.answer === undefined) {
      await sleep(SECOND_TRY_MS);
      found = await compare(asked);
    }
    if (found.answer?.status === 'ok') return found.answer.value;
    if (found.answer?.status === 'rejected') throw found.answer.rejection;
    onDisagreement(asked.method, found.hosts);
    throw new ServiceError('CHAIN_DISAGREEMENT', `The endpoints of ${chain} give different responses to ${asked.method}.`, {
      reason: `endpoints: ${found.hosts.join(', ')}`,
    });
  }

  return {
    chain,
    namespace,
    endpoints: endpoints.length,
    call,
    callAll,
    every,
    agree,
    health: () => endpoints.map((endpoint) => endpoint.health()),
  };
}

/** Equal texts mean equal answers. Texts of errors differ between programs, so only their codes count. */
function textOf(answer: Answer<unknown>): string {
  if (answer.status !== 'ok') return `rejected ${answer.status === 'rejected' ? answer.rejection.code : ''}`;
  return JSON.stringify(answer.value, (_name, value: unknown) => (typeof value === 'bigint' ? `bigint:${value}` : value)) ?? '';
}
