import { Agent, type IncomingMessage, request } from 'node:http';
import {
  type Activities,
  activities,
  type DialectName,
  dialects,
  operationPath,
  type Queries,
  queries,
} from '@countersign/contract';
import { type ApiKey, encodeStamp, stampFields } from './api-key.ts';

export type { DialectName } from '@countersign/contract';

/** Any JSON, for tests to inspect. */
export type Json = ReturnType<typeof JSON.parse>;

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

export interface SubmitChoice {
  /** A version other than the current one. */
  readonly type?: string;
  readonly organizationId?: string;
  readonly timestampMs?: string;
  readonly reference?: unknown;
}

let lastTimestampMs = Date.now() - 60_000;

/** Stamps later requests with the current time, for tests that invalidate older stamps. */
export function stampFromNowOn(): void {
  lastTimestampMs = Math.max(lastTimestampMs, Date.now());
}

/** A timestamp that no earlier request of this process had, so that no two bodies are equal by accident. */
export function nextTimestampMs(): string {
  return String(++lastTimestampMs);
}

/** A user of the service who stamps with one API key, in one dialect. */
export class Caller {
  readonly url: string;
  readonly organizationId: string;
  readonly key: ApiKey;
  readonly dialect: DialectName;

  constructor(url: string, organizationId: string, key: ApiKey, dialect: DialectName = 'spec') {
    this.url = url;
    this.organizationId = organizationId;
    this.key = key;
    this.dialect = dialect;
  }

  /** The same user at another URL or organization, with another key, or in the other dialect. */
  with(change: { url?: string; organizationId?: string; key?: ApiKey; dialect?: DialectName }): Caller {
    const { url = this.url, organizationId = this.organizationId, key = this.key, dialect = this.dialect } = change;
    return new Caller(url, organizationId, key, dialect);
  }

  submitPath(name: keyof Activities): string {
    return operationPath(dialects[this.dialect], activities[name]);
  }

  queryPath(name: keyof Queries): string {
    return operationPath(dialects[this.dialect], queries[name]);
  }

  /** The body of a submit as text, to stamp it or to send it again. */
  submitBody(name: keyof Activities, parameters: unknown, choice: SubmitChoice = {}): string {
    const { type = activities[name].type, organizationId = this.organizationId, timestampMs = nextTimestampMs() } = choice;
    return JSON.stringify({ type, timestampMs, organizationId, parameters, reference: choice.reference });
  }

  submit(name: keyof Activities, parameters: unknown, choice?: SubmitChoice): Promise<Answer> {
    return this.send(this.submitPath(name), this.submitBody(name, parameters, choice));
  }

  query(name: keyof Queries, fields: object = {}): Promise<Answer> {
    return this.send(this.queryPath(name), JSON.stringify({ organizationId: this.organizationId, ...fields }));
  }

  /** Stamps a body as it is and posts it. `headers` add to the usual ones or replace them. */
  send(path: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const bytes = Buffer.from(body);
    return post(this.url + path, bytes, { 'x-stamp': encodeStamp(stampFields(this.key, bytes)), ...headers });
  }

  /** Submits, expects success and returns the operation's own result. */
  async result(name: keyof Activities, parameters: unknown, choice?: SubmitChoice): Promise<Json> {
    return resultOf(await this.submit(name, parameters, choice));
  }

  /** Sends a query, expects success and returns the data. */
  async data(name: keyof Queries, fields?: object): Promise<Json> {
    const answer = expectSuccess(await this.query(name, fields));
    return this.dialect === 'spec' ? answer.body.activity.result : answer.body;
  }
}

/** The operation's own result in a submit's answer, of either dialect. */
export function resultOf(answer: Answer): Json {
  const { result } = expectSuccess(answer).body.activity;
  const [own] = Object.values(result.activity?.result ?? result);
  if (own === undefined) throw new Error(`the activity has no result: ${JSON.stringify(answer.body)}`);
  return own;
}

function expectSuccess(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

// Connections are kept, as fetch keeps them.
const agent = new Agent({ keepAlive: true });

/**
 * Posts JSON with `node:http`: in a profile of the paging tests, fetch took a fifth of the CPU time. The published client uses fetch and
 * has its own tests.
 */
export function post(url: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json', accept: '*/*', ...headers } };
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          const answered = JSON.parse(Buffer.concat(chunks).toString());
          // Few tests read headers, and creating them costs more than reading the body.
          resolve({
            status: response.statusCode ?? 0,
            body: answered,
            get headers() {
              return headersOf(response);
            },
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value);
  return headers;
}
