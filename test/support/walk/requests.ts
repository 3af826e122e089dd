import { type Activities, type ActivityDefinition, activities, type Queries, queries } from '@countersign/contract';
import { prepareQueries } from '../../../scripts/examples/query-fields.ts';
import { type SignInStage, signInTrials } from '../../../scripts/examples/sign-in-trials.ts';
import { caseFiles } from '../../features/catalogue/cases/index.ts';
import type { CatalogueCases, Stage, Trial } from '../../features/catalogue/support/catalogue-case.ts';
import { activityCases, buildWorld } from '../activity-cases.ts';
import type { Caller } from '../caller.ts';
import { measureRequests, type OperationCost, stampRequest } from '../measure-operation.ts';
import type { RawDatabase } from '../raw-database.ts';
import type { TestService } from '../service.ts';
import { createSubOrganization } from '../world.ts';
import { type Extent, enlarge } from './enlarge.ts';

/** The cost of one operation, in one form of its request. */
export interface Walked {
  readonly operation: string;
  /** `small`: a usual request. `largest`: as large as the service accepts. `refused`: larger. Otherwise a hand-made case. */
  readonly form: string;
  readonly cost: OperationCost;
}

/** Makes a new request that can be sent once. */
export type MakeTrial = () => Promise<Required<Trial>>;

const catalogue: CatalogueCases = Object.assign({}, ...Object.values(caseFiles));

/** The default of `maxBodyBytes`. */
const MAX_BODY_BYTES = 1_048_576;
const small: Extent = { items: 1, text: 1 };
/** In the order of attempts. The service has smaller limits than the contract, such as users of an organization. */
const extents: readonly Extent[] = [1000, 100, 90, 50, 10, 9, 1].flatMap((items) =>
  [Infinity, 256, 1].map((text) => ({ items, text })),
);

/** Requests of every activity but sign-in, each in a sub-organization that no other request uses. */
export function activityTrials(service: TestService): ReadonlyMap<keyof Activities, MakeTrial> {
  const stage = async (): Promise<Stage> => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(service.root);
    return { root, rootUserId, first: service.root, service };
  };
  const found = Object.entries<ActivityDefinition>(activities).flatMap(([key, { type }]) => {
    const name = key as keyof Activities;
    const { succeeds } = catalogue[type] ?? {};
    const shared = activityCases[name];
    if (succeeds !== undefined)
      return [[name, async () => withCaller(await stage(), (own) => succeeds.call(catalogue[type], own))] as const];
    if (shared === undefined) return [];
    return [
      [
        name,
        async () => withCaller(await stage(), async ({ root }) => ({ params: shared.params(await buildWorld(root)) })),
      ] as const,
    ];
  });
  return new Map(found);
}

async function withCaller(stage: Stage, make: (stage: Stage) => Promise<Trial> | Trial): Promise<Required<Trial>> {
  return { caller: stage.root, ...(await make(stage)) };
}

/** Requests of the sign-in activities. */
export function signInRequests(stage: SignInStage): ReadonlyMap<keyof Activities, MakeTrial> {
  return new Map(
    Object.entries(signInTrials).map(([name, trial]) => [
      name as keyof Activities,
      async () => ({ caller: stage.root, ...(await trial(stage)) }),
    ]),
  );
}

/** Measures an activity: a usual request, the largest that is accepted, and the largest that the contract allows if that is refused. */
export async function walkActivity(raw: RawDatabase, name: keyof Activities, make: MakeTrial, runs: number): Promise<Walked[]> {
  const send = async (extent: Extent, trial?: Required<Trial>) => {
    const { caller, params } = trial ?? (await make());
    const body = caller.submitBody(name, enlarge(activities[name].params, params, extent));
    return { length: body.length, send: stampRequest({ caller, path: caller.submitPath(name), body: () => body }) };
  };
  const measure = async (form: string, extent: Extent): Promise<Walked> => {
    const requests = [];
    for (let run = 0; run < 2 * runs; run += 1) requests.push((await send(extent)).send);
    return { operation: name, form, cost: await measureRequests(raw, requests) };
  };
  const walked = [await measure('small', small)];
  let isFirst = true;
  let lastLength = Infinity;
  // A refused request changes nothing, so the next attempt can be made from the same objects.
  const trial = await make();
  for (const extent of extents) {
    const attempt = await send(extent, trial);
    if (attempt.length > MAX_BODY_BYTES || attempt.length === lastLength) continue;
    lastLength = attempt.length;
    const { status } = await attempt.send();
    if (status === 200) return [...walked, await measure('largest', extent)];
    if (isFirst) walked.push(await measure('refused', extent));
    isFirst = false;
  }
  return walked;
}

/** Measures every query in an organization that has an object of each kind. */
export async function walkQueries(
  raw: RawDatabase,
  service: TestService,
  runs: number,
  progress: (name: string) => void,
): Promise<Walked[]> {
  const { fields } = await prepareQueries(service);
  const { root: caller } = service;
  const walked: Walked[] = [];
  for (const name of Object.keys(queries) as (keyof Queries)[]) {
    const own = fields[name];
    if (own === undefined) continue;
    progress(name);
    walked.push(await walkQuery(raw, caller, name, own, runs));
  }
  return walked;
}

/** Measures one query. */
export async function walkQuery(
  raw: RawDatabase,
  caller: Caller,
  name: keyof Queries,
  own: object,
  runs: number,
): Promise<Walked> {
  const body = JSON.stringify({ organizationId: caller.organizationId, ...own });
  const request = { caller, path: caller.queryPath(name), body: () => body };
  const requests = Array.from({ length: 2 * runs }, () => stampRequest(request));
  return { operation: name, form: 'small', cost: await measureRequests(raw, requests) };
}
