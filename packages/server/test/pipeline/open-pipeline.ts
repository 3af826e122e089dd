import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Activities, type ActivityDefinition, type ActivityVersion, activities } from '@countersign/contract';
import { pino } from 'pino';
import { type ApiKey, encodeStamp, importApiKey, newApiKey, stampFields } from '../../../../test/support/api-key.ts';
import { nextTimestampMs } from '../../../../test/support/caller.ts';
import { engines, type Installation } from '../../../../test/support/installation.ts';
import { userParams } from '../../../../test/support/world.ts';
import { parseStamp } from '../../src/auth/api-key/stamp.ts';
import { createFirstOrganization, type FirstCredentials } from '../../src/commands/initialize.ts';
import { paths } from '../../src/config/paths.ts';
import type { Config } from '../../src/config/settings.ts';
import { dialectsAt } from '../../src/dialects/index.ts';
import { openService } from '../../src/open-service.ts';
import { authenticateCaller, renewCaller } from '../../src/pipeline/authenticate/authenticate-request.ts';
import type { Prepared } from '../../src/pipeline/context.ts';
import { noIdentities } from '../../src/pipeline/plan/prepare.ts';
import type { SubmitRequest, Submitted } from '../../src/pipeline/request.ts';
import { executorOf, type PipelineServices } from '../../src/pipeline/services.ts';
import { type Answer, Retry, type Stage } from '../../src/pipeline/stages.ts';
import { createSubmit } from '../../src/pipeline/submit.ts';
import { readParameters } from '../../src/wire/read-parameters.ts';

const [dialect] = dialectsAt(false);
if (dialect === undefined) throw new Error('there is no dialect');
const { paramsOf } = dialect;

/** A user of the pipeline. */
export interface Person {
  readonly userId: string;
  readonly key: ApiKey;
}

/** The pipeline of one process on SQLite, without a listener. */
export class Pipeline {
  readonly installation: Installation;
  readonly services: PipelineServices;
  readonly organizationId: string;
  /** The root user of the first organization. */
  readonly root: Person;
  readonly submit: (request: SubmitRequest) => Promise<Submitted>;
  readonly close: () => Promise<void>;

  constructor(installation: Installation, services: PipelineServices, first: FirstCredentials, close: () => Promise<void>) {
    this.installation = installation;
    this.services = services;
    this.organizationId = first.organizationId;
    this.root = { userId: first.userId, key: importApiKey(first) };
    this.submit = createSubmit(services);
    this.close = close;
  }

  /** The same pipeline with some services replaced. */
  with(change: Partial<PipelineServices>): (request: SubmitRequest) => Promise<Submitted> {
    return createSubmit({ ...this.services, ...change });
  }

  /** A request in the first organization, as the listener would pass it to `submit`. */
  request(
    name: keyof Activities,
    parameters: object,
    { key = this.root.key, timestampMs = nextTimestampMs() } = {},
  ): SubmitRequest {
    const definition: ActivityDefinition = activities[name];
    const version = definition.versions.find(({ type }) => type === definition.type) as ActivityVersion;
    const { organizationId } = this;
    const bodyText = JSON.stringify({ type: version.type, timestampMs, organizationId, parameters });
    const bytes = Buffer.from(bodyText);
    const stamp = parseStamp({ 'x-stamp': encodeStamp(stampFields(key, bytes)) });
    const admitted = this.services.admission.request(undefined, { destroyed: false, resetAndDestroy: () => undefined });
    admitted.claim(key.publicKey);
    return {
      definition,
      version,
      organizationId,
      timestampMs,
      reader: paramsOf(version),
      parameters,
      bodyText,
      fingerprint: `sha256:${hash('sha256', bytes)}`,
      stamped: { stamp, bytes, clientAddress: () => undefined },
      admitted,
    };
  }

  /** Submits as the root user and returns the result. */
  async result<T>(name: keyof Activities, parameters: object): Promise<T> {
    return (await this.submit(this.request(name, parameters))).record.result as T;
  }

  /** Creates a user who is not in the root quorum. */
  async member(): Promise<Person> {
    const key = newApiKey();
    const { userIds } = await this.result<{ userIds: [string] }>('createUsers', { users: [userParams(key)] });
    return { userId: userIds[0], key };
  }

  /** The context that the stages of an attempt begin with. */
  async prepared(request: SubmitRequest, services: PipelineServices = this.services): Promise<Prepared> {
    const { authenticated } = passed(await authenticateCaller(services, { request }));
    const executor = executorOf(services, request.definition);
    const params = readParameters(request.reader, request.parameters);
    return { request, authenticated, executor, params, identities: noIdentities, warnings: [] };
  }

  /** Runs the stages of an attempt, the renewal of the caller first. Fails if one of them ends the attempt. */
  async through<Out>(stage: Stage<Prepared, Out>, request: SubmitRequest): Promise<Out> {
    const prepared = passed(await renewCaller(this.services, await this.prepared(request)));
    return passed(await stage(this.services, prepared));
  }
}

/** The context of a stage that did not end the attempt. */
export function passed<Out>(outcome: Out | Answer | Retry): Out {
  if (outcome instanceof Retry) throw new Error(`the attempt ended with ${outcome.reason}`);
  return outcome as Out;
}

/** Opens the pipeline on a new installation, or on one that another process uses. */
export async function openPipeline(installation?: Installation, change: Partial<Config> = {}): Promise<Pipeline> {
  const own = installation ?? (await engines.sqlite());
  const config = { ...own.config, ...change };
  const opened = await openService(config, { log: pino({ level: 'silent' }) });
  await createFirstOrganization(config, opened.services, { organizationName: 'First', userName: 'Root user' });
  const first = JSON.parse(readFileSync(paths.credentials(config), 'utf8')) as FirstCredentials;
  return new Pipeline(own, opened.services, first, async () => {
    await opened.close();
    if (installation === undefined) await own.remove();
  });
}
