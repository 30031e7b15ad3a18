// A port for a server that ends and comes back where it was. The system gives ports of its own range to everybody who asks for
// any, and to clients that connect: one that was let go for a moment may have another owner by then, or be the client's own.

import { once } from 'node:events';
import { createServer } from 'node:net';

const portMin = 10_000;
/** Below the range of every system that tests run on. */
const portMax = 32_000;
const triesMax = 100;

/** Free at this moment, and nobody gets it by chance. */
export async function steadyPort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${triesMax} ports was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
