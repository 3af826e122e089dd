import { once } from 'node:events';
import { createServer } from 'node:http';

/** A webhook receiver on this machine that records deliveries. */
export async function startReceiver() {
  const deliveries = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    deliveries.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.end();
    server.emit('delivery');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/activities`,
    /** The first matching delivery. Waits for it. */
    async delivery(fits) {
      for (;;) {
        const found = deliveries.find(fits);
        if (found !== undefined) return found;
        await once(server, 'delivery', { signal: AbortSignal.timeout(15_000) });
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
