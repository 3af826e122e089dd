import { ApiKeyStamper } from '@turnkey/api-key-stamper';

/** Stamps a body as it is and posts it to a path of the server, for requests that no method of the client sends. */
export async function post({ server }, path, body, headers = {}) {
  const { apiPublicKey, apiPrivateKey } = server.credentials;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { stampHeaderName, stampHeaderValue } = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(text);
  const response = await fetch(server.compatibleUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [stampHeaderName]: stampHeaderValue, ...headers },
    body: text,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Submits an activity of any version and returns its result. */
export async function submit(world, path, type, parameters) {
  const { organizationId } = world;
  const answer = await post(world, `/public/v1/submit/${path}`, {
    type,
    timestampMs: String(Date.now()),
    organizationId,
    parameters,
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const [result] = Object.values(answer.body.activity.result);
  return result;
}
