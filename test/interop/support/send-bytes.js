import { once } from 'node:events';
import { request } from 'node:http';

/** Posts exactly these bytes with exactly these headers: nothing is added that the caller does not name, but Host and the length. */
export async function sendBytes(url, body, headers) {
  const sent = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': body.length } });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const chunks = await response.toArray();
  return {
    status: response.statusCode,
    contentType: response.headers['content-type'],
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
  };
}
