import type { Activities, Queries } from '@countersign/contract';
import type { Answer, Caller, Json } from '../../test/support/caller.ts';

/** A request as it was sent, and the answer to it. */
export interface Example {
  readonly request: Json;
  readonly response: Json;
}

const LONGEST = 200;
const SHOWN = 60;

/** Sends requests and records one example of each operation. A denied request is an error. */
export class Recorder {
  private readonly examples = new Map<string, Example>();

  async submit(caller: Caller, name: keyof Activities, params: object): Promise<void> {
    const body = caller.submitBody(name, params);
    this.keep(name, body, await caller.send(caller.submitPath(name), body));
  }

  async query(caller: Caller, name: keyof Queries, fields: object): Promise<void> {
    const body = JSON.stringify({ organizationId: caller.organizationId, ...fields });
    this.keep(name, body, await caller.send(caller.queryPath(name), body));
  }

  has(name: string): boolean {
    return this.examples.has(name);
  }

  /** All examples in alphabetical order. */
  sorted(): Record<string, Example> {
    return Object.fromEntries([...this.examples].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private keep(name: string, body: string, answer: Answer): void {
    // A rejection answers with the activity that it rejects.
    const status = name === 'rejectActivity' ? 'ACTIVITY_STATUS_REJECTED' : 'ACTIVITY_STATUS_COMPLETED';
    if (answer.status !== 200 || answer.body.activity.status !== status) {
      throw new Error(`${name} was not carried out: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    this.examples.set(name, { request: shorten(JSON.parse(body)), response: shorten(answer.body) });
  }
}

/** The same value with long strings, such as tokens and attestations, cut to their beginnings. */
function shorten(value: Json): Json {
  if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, SHOWN)}…` : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}
