// A wire between a host and a server that can be cut: not refused, just silent, as when a switch loses its power.

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => this.#join(client));
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nothing passes any more, either way. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was connected is not: by now the other side has forgotten it. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    client.setNoDelay(true);
    this.#pass(client, server);
    this.#pass(server, client);
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      if (!this.#isCut) to.write(chunk);
    });
    from.on('end', () => {
      if (!this.#isCut) to.end();
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!this.#isCut) to.destroy();
    });
  }
}
