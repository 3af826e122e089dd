import { ServiceError } from '@countersign/contract';
import type { IpAddress } from '../network/ip-address.ts';
import { compileBlocks, parseCidr } from '../network/ip-blocks.ts';
import { AdmittedRequest, type RequestConnection } from './admitted-request.ts';
import { createByteBudget, SlowBodies } from './bodies.ts';
import { createConnectionLimit, type LimitedConnection } from './connection-limit.ts';
import { ReadThrottle } from './cooperative.ts';
import { senderOf } from './flow.ts';
import { KnownCallers, type PairKey } from './known-callers.ts';
import { BURST_SECONDS, type Buckets, createBuckets, createRates, type RateSettings } from './rates.ts';
import { createReadGate } from './read-gate.ts';
import { defaultSchedule, type QueuedRequests, Scheduler } from './scheduler.ts';
import { createStorageQuota, type StorageQuota } from './storage-quota.ts';
import { createTarpit } from './tarpit.ts';

const DAY_SECONDS = 86_400;

/** The settings that bound who is served when. */
export interface AdmissionSettings extends RateSettings {
  readonly connectionsPerAddress: number;
  readonly maxConnections: number;
  readonly maxUnfinishedBodyBytes: number;
  readonly maxUntakenAnswerBytes: number;
  readonly maxQueueMs: number;
  readonly maxKeptRefusals: number;
  /** CIDR blocks. */
  readonly trustedProxies: readonly string[];
}

/** Decides who is served when: the one door of this folder for connections and requests. */
export interface Admission {
  /** A connection was accepted. Returns its release, or undefined if there are too many. It may be closed later, for another one. */
  connection(peer: IpAddress | undefined, connection: LimitedConnection): (() => void) | undefined;
  /**
   * Waits for a turn at the processor for a TLS handshake; undefined if that is now. Throws RATE_LIMIT_EXCEEDED, and rejects with OVERLOADED.
   */
  handshake(client: IpAddress | undefined, isGone: () => boolean): Promise<void> | undefined;
  /** A request arrived, and its body was not read yet. */
  request(client: IpAddress | undefined, connection: RequestConnection): AdmittedRequest;
  /** The number of requests that wait for the processor. */
  queued(): QueuedRequests;
  /** Resolves when the results so far should be committed. */
  commitReady(): Promise<void>;
  /** Bytes that organizations store per day. */
  readonly storage: StorageQuota;
  /** The daily quota of stored denials, by organization and user. */
  readonly storedDenials: Pick<Buckets, 'take'>;
  /** The credentials that verified recently, and from where. */
  readonly known: KnownCallers;
}

/** The settings of TLS handshakes. */
export type HandshakeSettings = Pick<AdmissionSettings, 'handshakesPerAddress' | 'maxQueueMs' | 'trustedProxies'>;

/** Admits TLS handshakes, as `handshake` of an admission does, in a process that only forwards requests. */
export function openHandshakes({ handshakesPerAddress, maxQueueMs, trustedProxies }: HandshakeSettings): Admission['handshake'] {
  const isProxy = compileBlocks(trustedProxies.map(parseCidr));
  const scheduler = new Scheduler(() => {}, { ...defaultSchedule, targetMs: maxQueueMs });
  const buckets = createBuckets({ perSecond: handshakesPerAddress, burstSeconds: BURST_SECONDS });
  return (client, isGone) => {
    const { block, flow } = senderOf(client);
    const isTrusted = client !== undefined && isProxy.has(client);
    if (!isTrusted && buckets.take(block) > 0) throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many handshakes.');
    return scheduler.wait(flow, isGone);
  };
}

/** `onLimit` is called with the name of each limit that was exceeded. */
export function openAdmission(
  settings: AdmissionSettings,
  onLimit: (limit: string) => void = () => {},
  keyOf?: PairKey,
): Admission {
  const isProxy = compileBlocks(settings.trustedProxies.map(parseCidr));
  const bounds = { perAddress: settings.connectionsPerAddress, total: settings.maxConnections };
  const connections = createConnectionLimit(bounds, () => onLimit('connections'));
  const scheduler = new Scheduler(() => onLimit('overload'), { ...defaultSchedule, targetMs: settings.maxQueueMs });
  const known = new KnownCallers(keyOf);
  const rates = createRates(settings, known, onLimit);
  const isTrusted = (peer: IpAddress | undefined) => peer !== undefined && isProxy.has(peer);
  const parts = {
    known,
    connections,
    rates,
    scheduler,
    reads: createReadGate(),
    bodies: {
      unfinished: createByteBudget(settings.maxUnfinishedBodyBytes, () => onLimit('unfinishedBodies')),
      slow: new SlowBodies(),
      throttle: new ReadThrottle(),
    },
    tarpit: createTarpit(),
    responses: createByteBudget(settings.maxUntakenAnswerBytes, () => onLimit('untakenAnswers')),
  };
  return {
    connection(peer, connection) {
      scheduler.accepted();
      return connections.open(connection, isTrusted(peer) ? undefined : senderOf(peer));
    },
    handshake(client, isGone) {
      const { block, flow } = senderOf(client);
      // SECURITY: D597: a handshake costs about as much as a signature, before the client has proved anything.
      if (!isTrusted(client)) rates.countHandshake(block);
      return scheduler.wait(flow, isGone);
    },
    request: (client, connection) => new AdmittedRequest(parts, senderOf(client), connection),
    queued: () => scheduler.queued(),
    commitReady: () => scheduler.commitReady(),
    known,
    storage: createStorageQuota(onLimit),
    storedDenials: createBuckets({ perSecond: settings.maxKeptRefusals / DAY_SECONDS, burstSeconds: DAY_SECONDS }),
  };
}
