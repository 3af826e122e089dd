import { type ApiKey, Stamper } from '../stamper.ts';

/** Sends stamped requests to one organization. Throws if a request is not executed. */
export interface Client {
  query(path: string, fields?: object): Promise<void>;
  /** Sends the body of an activity. */
  submit(path: string, body: string): Promise<void>;
  /** Sends an activity, and gives its result. */
  change(activity: NewActivity): Promise<unknown>;
}

export interface NewActivity {
  readonly path: string;
  readonly type: string;
  readonly parameters: object;
}

export function createClient(url: string, target: ApiKey & { readonly organizationId: string }): Client {
  const { organizationId } = target;
  const stamper = new Stamper(target);

  async function send(path: string, body: string): Promise<string> {
    const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
    const response = await fetch(`${url}/public/v1/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return text;
  }

  return {
    async query(path, fields) {
      await send(`query/${path}`, JSON.stringify({ organizationId, ...fields }));
    },
    async submit(path, body) {
      await send(`submit/${path}`, body);
    },
    async change({ path, type, parameters }) {
      const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
      return JSON.parse(await send(`submit/${path}`, body)).activity.result.activity.result;
    },
  };
}
