import { ApiKeyStamper, type Client, createClient } from '@countersign/client';
import { Journal } from './journal.ts';

export interface AgentOptions {
  /** The address of the service, for example `https://sign.example.com`. */
  readonly baseUrl: string;
  readonly organizationId: string;
  /** Both halves of the API key of the agent's user, in hexadecimal. */
  readonly apiPublicKey: string;
  readonly apiPrivateKey: string;
  /** A folder that stays, for the journal of proposals. */
  readonly stateDir: string;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What tools act with: the user of one API key in one organization. */
export interface Agent {
  readonly organizationId: string;
  readonly client: Client;
  /** For what the specification lacks: typed data, PSBTs, sending. */
  readonly compatible: Client<'turnkey'>;
  readonly journal: Journal;
  /** The agent's user. Asked once. */
  self(): Promise<{ readonly userId: string; readonly userName: string }>;
}

/** An agent with the key of its user. Throws if the two halves of the key do not match. */
export function createAgent(options: AgentOptions): Agent {
  const { baseUrl, organizationId, apiPublicKey, apiPrivateKey, stateDir, fetch: fetcher } = options;
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  const shared = { baseUrl, organizationId, stamper, retry: true, ...(fetcher && { fetch: fetcher }) };
  const client = createClient(shared);
  let self: ReturnType<Agent['self']> | undefined;
  const ask = async () => {
    const { userId, username } = await client.whoami();
    return { userId, userName: username };
  };
  return {
    organizationId,
    client,
    compatible: createClient({ ...shared, dialect: 'turnkey' }),
    // Two users of one machine do not share references.
    journal: new Journal(stateDir, `${organizationId}\n${stamper.apiPublicKey}`),
    self() {
      self ??= ask().catch((error: unknown) => {
        self = undefined;
        throw error;
      });
      return self;
    },
  };
}
