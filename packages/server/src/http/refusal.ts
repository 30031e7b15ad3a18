// Answers to what never becomes a request: bytes that are not HTTP, a head that is too long or too slow, the wrong scheme.
// They are written to the socket as they are, and end the connection.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { header } from '@tidemark/model';
import { headerBytesMax, headerFieldsMax, lingerMsMax, requestMsMax } from '../limits.ts';

export interface Refusal {
  readonly status: number;
  readonly name: string;
  readonly message: string;
}

export const notHttps: Refusal = {
  status: 400,
  name: 'BadRequest',
  message: 'This server speaks HTTPS only (it was started so): write https:// instead of http:// in the endpoint.',
};

export const noTunnel: Refusal = {
  status: 405,
  name: 'MethodNotAllowed',
  message: 'CONNECT is no verb of anything here: this server is no proxy.',
};

export const notHttp: Refusal = { status: 400, name: 'BadRequest', message: 'This is not an HTTP/1.1 request.' };

export const headTooLong: Refusal = {
  status: 431,
  name: 'RequestHeaderFieldsTooLarge',
  message: `The headers of a request may have at most ${headerBytesMax} bytes.`,
};

export const tooManyFields: Refusal = {
  status: 431,
  name: 'RequestHeaderFieldsTooLarge',
  message: `A request may have at most ${headerFieldsMax} headers.`,
};

export const tooMuchUnread: Refusal = {
  status: 503,
  name: 'ServiceUnavailable',
  message: 'Too many clients have sent a part of a request and not the rest; try again in a moment.',
};

export const tooLate: Refusal = {
  status: 408,
  name: 'RequestTimeout',
  message: `A request has to be complete within ${requestMsMax / 1000} seconds, its headers sooner.`,
};

/** Says it and closes. */
export function refuse(stream: Socket, refusal: Refusal): void {
  stream.on('error', () => {});
  linger(stream);
  stream.end(textOf(refusal));
}

/**
 * For a connection that ends with what is being said: what the client is still sending is read and dropped for a while. A
 * connection that is closed with unread bytes is reset, and the reset may overtake the answer.
 */
export function linger(stream: Socket): void {
  const timer = setTimeout(() => stream.destroy(), lingerMsMax);
  stream.once('close', () => clearTimeout(timer));
  stream.resume();
}

/** Says it and closes without reading anything more. */
export function refuseUnread(stream: Socket, refusal: Refusal): void {
  stream.pause();
  stream.end(textOf(refusal), () => stream.destroy());
}

function textOf({ status, name, message }: Refusal): string {
  const body = JSON.stringify({ code: name, message });
  const lines = [
    `HTTP/1.1 ${status} ${name}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `${header.activityId}: ${randomUUID()}`,
    `${header.charge}: 0`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
