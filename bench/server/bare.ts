// The raw limit of a server: node:http and nothing else, in a process of its own. It answers a POST with the body it got, a
// GET with bytes that were made before: one document, or a page of a thousand of them.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentOf } from '../engine/documents.ts';

const pageDocuments = 1_000;
/** About what the system members of a document take; a page is then as long as one of the product's. */
const systemBytes = 180;

const document: Buffer = documentOf(1, 1);
const stored: Buffer = Buffer.concat([document, Buffer.alloc(systemBytes, ' ')]);
const page: Buffer = Buffer.concat(Array.from({ length: pageDocuments }, () => stored));

const server = createServer({ noDelay: true }, (request, response) => {
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    });
    return;
  }
  const body = request.url === '/page' ? page : stored;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port }));
});
