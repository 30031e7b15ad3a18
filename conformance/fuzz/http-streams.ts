// Bytes of connections: requests one behind the other, most of them right, with the mistakes that two readers of HTTP may
// understand differently: lengths, chunks, line ends, folded headers, what stands between requests, ends in the middle.

import type { SeededRandom } from '@tidemark/testing';

export interface HttpStream {
  readonly bytes: Buffer;
  /** Where it is cut into pieces, ascending. */
  readonly cuts: readonly number[];
  /** A turn of the event loop lies between the pieces. */
  readonly isSlow: boolean;
}

export function httpStream(random: SeededRandom): HttpStream {
  // Where everything is odd the first request is the last one that is understood.
  const chance = new Chance(random, random.pick([0, 0.25, 1]));
  let text = '';
  const requests = 1 + chance.int(4);
  for (let i = 0; i < requests; i += 1) text += chance.rarely('', between) + request(chance);
  let bytes = Buffer.from(text, 'latin1');
  while (chance.isOdd(0.2)) bytes = mutated(chance, bytes);
  if (chance.bool(0.15)) bytes = bytes.subarray(0, chance.int(bytes.length + 1));
  return { bytes, cuts: cutsOf(chance, bytes), isSlow: chance.bool(0.2) };
}

/** Chance, and how much of what may be unusual is so. */
class Chance {
  readonly #random: SeededRandom;
  readonly #oddness: number;

  constructor(random: SeededRandom, oddness: number) {
    this.#random = random;
    this.#oddness = oddness;
  }

  int(n: number): number {
    return this.#random.int(n);
  }

  bool(probability: number): boolean {
    return this.#random.bool(probability);
  }

  pick<T>(choices: readonly T[]): T {
    return this.#random.pick(choices);
  }

  shuffle<T>(items: readonly T[]): T[] {
    return this.#random.shuffle(items);
  }

  isOdd(probability: number): boolean {
    return this.#random.bool(probability * this.#oddness);
  }

  /** The usual one, or now and then one of the others. */
  rarely(usual: string, others: readonly string[], probability: number = 0.06): string {
    return this.isOdd(probability) ? this.#random.pick(others) : usual;
  }
}

function request(chance: Chance): string {
  const method = chance.rarely(chance.pick(methods), oddMethods);
  const target = chance.rarely(chance.pick(targets), oddTargets);
  const version = chance.rarely(chance.bool(0.1) ? 'HTTP/1.0' : 'HTTP/1.1', oddVersions);
  const line = method + gap(chance) + target + gap(chance) + version + eol(chance);
  const headers: string[] = chance.bool(0.9) ? ['Host: localhost'] : [];
  for (let i = chance.int(4); i > 0; i -= 1) headers.push(header(chance));
  const framed = framing(chance);
  const all = chance.shuffle([...headers, ...framed.headers]);
  return `${line}${all.map((each) => each + eol(chance)).join('')}${eol(chance)}${framed.body}`;
}

function gap(chance: Chance): string {
  return chance.rarely(' ', ['', '  ', '\t', ' \t', '\x0b', '\x0c', '\xa0'], 0.02);
}

function eol(chance: Chance): string {
  return chance.rarely('\r\n', ['\n', '\r', '\r\r\n', '\n\r', ' \r\n', '\r\n ', '\r\n\t', '\0\r\n', '\x0b\r\n'], 0.012);
}

function header(chance: Chance): string {
  const name = chance.rarely(chance.pick(names), oddNames);
  const value = chance.rarely(chance.pick(values), oddValues);
  const connection = chance.rarely('Connection', ['Proxy-Connection', 'connection', 'CONNECTION'], 0.2);
  if (chance.bool(0.12)) return `${connection}: ${chance.pick(connections)}`;
  const colon = chance.rarely(':', [' :', '\t:', '', '::', ': :', ';'], 0.02);
  return name + colon + blank(chance) + value + blank(chance);
}

function blank(chance: Chance): string {
  return chance.rarely(chance.pick(['', ' ']), ['\t', '  \t ', '\r\n ', '\x0b', '\0', '\r', '\n'], 0.02);
}

interface Framed {
  readonly headers: readonly string[];
  readonly body: string;
}

function framing(chance: Chance): Framed {
  const kind = chance.int(10);
  if (kind < 4) return { headers: [], body: chance.isOdd(0.03) ? content(chance) : '' };
  const body = content(chance);
  if (kind < 7) return { headers: lengthHeaders(chance, body.length), body };
  const encoding = `Transfer-Encoding:${blank(chance)}${chance.rarely('chunked', oddEncodings, 0.12)}`;
  const headers = [encoding];
  if (chance.isOdd(0.04)) headers.push(encoding);
  if (chance.isOdd(0.06)) headers.push(...lengthHeaders(chance, chance.pick([0, 3, body.length])));
  return { headers, body: chunked(chance, body) };
}

function lengthHeaders(chance: Chance, length: number): string[] {
  const off = chance.isOdd(0.08) ? chance.pick([-1, 1, 2, 5, 40]) : 0;
  const said = String(Math.max(0, length + off));
  const odd = [
    `+${said}`,
    `-${said}`,
    `0x${said}`,
    `${said},${said}`,
    `${said} ${said}`,
    `0${said}`,
    `${said}.0`,
    '',
    '9'.repeat(20),
  ];
  const line = `${chance.rarely('Content-Length', ['content-length', 'Content_Length', 'Content-Length\0', 'Content-Lengt\xe9'], 0.05)}:`;
  const first = `${line}${blank(chance)}${chance.rarely(said, odd, 0.08)}${blank(chance)}`;
  return chance.isOdd(0.04) ? [first, `${line} ${chance.pick([said, '0', '7'])}`] : [first];
}

function content(chance: Chance): string {
  return chance.pick([
    '',
    'x',
    '{"id":"1"}',
    '\r\n',
    '0\r\n\r\n',
    'GET /inner HTTP/1.1\r\nHost: inner\r\n\r\n',
    'POST /inner HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET ',
    '\0\xff\r\n\r\n'.repeat(1 + chance.int(8)),
    'a'.repeat(chance.int(300)),
  ]);
}

function chunked(chance: Chance, body: string): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const length = Math.min(body.length - at, 1 + chance.int(40));
    text += chunkSize(chance, length) + chunkEnd(chance) + body.slice(at, at + length) + chunkEnd(chance);
    at += length;
  }
  if (chance.isOdd(0.03)) return text;
  text += chance.rarely('0', ['00', '', '-0', '0x0', 'g', '000000000']) + extension(chance) + chunkEnd(chance);
  for (let i = chance.bool(0.1) ? 1 + chance.int(2) : 0; i > 0; i -= 1) {
    const framing = chance.bool(0.1) ? chance.pick(framingTrailers) : undefined;
    text += (framing ?? header(chance)) + chunkEnd(chance);
  }
  return text + chunkEnd(chance);
}

function chunkSize(chance: Chance, length: number): string {
  const hex = length.toString(16);
  const odd = [
    hex.toUpperCase(),
    `0${hex}`,
    ` ${hex}`,
    `${hex} `,
    `+${hex}`,
    `0x${hex}`,
    (length + 1).toString(16),
    `${hex}g`,
    `0${'0'.repeat(20)}${hex}`,
    'f'.repeat(17),
    `1${'0'.repeat(16)}${hex}`,
  ];
  return chance.rarely(hex, odd, 0.04) + extension(chance);
}

function extension(chance: Chance): string {
  return chance.rarely('', extensions, 0.05);
}

function chunkEnd(chance: Chance): string {
  return chance.rarely('\r\n', ['\n', '\r', '\r\r\n', '\n\r', ' \r\n', '', '\r\n\r\n', 'x\r\n'], 0.012);
}

function mutated(chance: Chance, bytes: Buffer): Buffer<ArrayBuffer> {
  const at = chance.int(bytes.length + 1);
  const end = at + chance.int(Math.min(12, bytes.length - at) + 1);
  const piece = chance.pick([
    Buffer.from(chance.pick(specials), 'latin1'),
    Buffer.alloc(0),
    Buffer.concat([bytes.subarray(at, end), bytes.subarray(at, end)]),
    Buffer.from([chance.int(256)]),
  ]);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(chance.bool(0.5) ? at : end)]);
}

function cutsOf(chance: Chance, bytes: Buffer): readonly number[] {
  if (chance.bool(0.1)) return Array.from({ length: bytes.length }, (_, at) => at);
  const cuts = new Set<number>();
  for (let i = chance.int(6); i > 0; i -= 1) {
    // Cuts inside of line ends are those that go wrong.
    const near = bytes.indexOf('\r', chance.int(bytes.length + 1));
    cuts.add(near === -1 || chance.bool(0.5) ? chance.int(bytes.length + 1) : near + chance.int(4));
  }
  return [...cuts].filter((at) => at < bytes.length).sort((a, b) => a - b);
}

/** Of empty lines also as many as are passed over, and one more. */
const between: readonly string[] = [
  '\r\n',
  '\r\n\r\n',
  '\r\n'.repeat(8),
  '\r\n'.repeat(9),
  '\n',
  '\r',
  ' ',
  '\0',
  'x',
  '0\r\n\r\n',
];
const methods: readonly string[] = ['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const oddMethods: readonly string[] = [
  'get',
  'FOO',
  'G',
  'CONNECT',
  'TRACE',
  'M-SEARCH',
  'PRI',
  'GETX',
  '',
  'G\xcbT',
  'G"T',
  'SOURCE',
];
const targets: readonly string[] = [
  '/',
  '/dbs/a/colls/b/docs',
  '/dbs/a%20b?x=1&y',
  '*',
  'http://h/x',
  'https://h:1/x?y',
  '//x',
  '/a?b?c',
];
const oddTargets: readonly string[] = [
  '/a#b',
  '/%zz',
  'a',
  '',
  '?x',
  '/\xe9',
  '/a b',
  '/"<>|{}^`\\',
  '/\x7f',
  'h:443',
  '/\0',
  'http:x',
  'ht tp://x',
  '#',
  'http://',
  '/\tx',
  '1http://x/',
  'http://a@b/',
  'http://[::1]/',
];
const oddVersions: readonly string[] = [
  'HTTP/1.2',
  'HTTP/0.9',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/11',
  'HTTP/1.01',
  '',
  'RTSP/1.0',
  'ICE/1.0',
  'HTTPS/1.1',
  'HTTP/1.',
  'HTTP/1',
  'HTTP 1.1',
];
const names: readonly string[] = [
  'Accept',
  'X-A',
  'x-a',
  'Cookie',
  'ETag',
  'If-Match',
  'User-Agent',
  'Authorization',
  'Content-Type',
  'Set-Cookie',
  'x-ms-date',
  'Prefer',
  'Trailer',
  'Keep-Alive',
  'Date',
];
const oddNames: readonly string[] = [
  '',
  ' x',
  'x y',
  'x\0',
  'x\xe9',
  'x"y',
  '(x)',
  'Host',
  'Expect',
  'Upgrade',
  'TE',
  'Age',
  'Server',
  'Location',
  'Expires',
  'Last-Modified',
  'Retry-After',
  'Max-Forwards',
  'Proxy-Authorization',
  'From',
  'Referer',
  'Via',
  'Proxy-Connection',
  'constructor',
  "x!#$%&'*+-.^_`|~",
];
const values: readonly string[] = [
  'a',
  'b c',
  '"q, r"',
  'x=1',
  '',
  '100-continue',
  'websocket',
  'Mon, 02 Jan 2006 15:04:05 GMT',
  'a,b',
];
const oddValues: readonly string[] = [
  '\xe9\xff',
  'a\tb',
  'a\0b',
  'a\x7f',
  'a\x01',
  'a\rb',
  'a\nb',
  'a\r\n b',
  'a\r\n\tb',
  'x'.repeat(3_000),
  '\x80',
];
const connections: readonly string[] = [
  'close',
  'keep-alive',
  'Close',
  'close, x',
  'x, close',
  'keep-alive, close',
  'upgrade',
  'x',
  '',
  'closed',
  'x close',
  'x keep-alive',
  'Upgrade, keep-alive',
  'close;x',
  '"close"',
  ',close,',
  'content-length',
  'transfer-encoding',
];
const oddEncodings: readonly string[] = [
  'Chunked',
  'CHUNKED',
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'xchunked',
  'chunkedx',
  ' chunked',
  'chunked\t',
  'chunked;q=1',
  '',
  'chunked,',
  ',chunked',
  '"chunked"',
  'chu\0nked',
  '\x0bchunked',
  'chunked\r\n x',
  'deflate',
];
const extensions: readonly string[] = [
  ';a',
  ';a=b',
  ';a="b"',
  ';a="b;c"',
  ';',
  '; a',
  ' ;a',
  ';a =b',
  ';a=b;c',
  ';a="\\""',
  ';a="',
  ';\0',
  ';\xe9',
  ';a=\n',
  ';a\r',
  ';=',
  ';a=b c',
  ';"a"',
  ';a=\x01',
  `;${'x'.repeat(200)}`,
  ';a="\r\n"',
];
const framingTrailers: readonly string[] = [
  'Content-Length: 3',
  'Transfer-Encoding: chunked',
  'Host: other',
  'Upgrade: websocket',
  'Expect: 100-continue',
];
const specials: readonly string[] = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '\xff',
  'chunked',
  'GET / HTTP/1.1\r\n\r\n',
];
