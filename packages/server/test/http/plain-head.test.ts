import { expect, test } from 'vitest';
import { readPlainHead } from '../../src/http/plain-head.ts';

const usual = [
  'Host: localhost:8080',
  'Connection: keep-alive',
  'Content-Type: application/json',
  'X-Stamp: eyJ9',
  'Accept: */*',
  'Content-Length: 2',
];

const request = (lines: readonly string[], line = 'POST /public/v1/submit/x HTTP/1.1') =>
  Buffer.from(`${[line, ...lines].join('\r\n')}\r\n\r\n{}`, 'latin1');

const replaced = (name: string, line: string) => usual.map((each) => (each.startsWith(name) ? line : each));

test('reads a plain request', () => {
  const bytes = request(usual);
  expect(readPlainHead(bytes)).toEqual({
    path: '/public/v1/submit/x',
    headers: { 'x-stamp': 'eyJ9' },
    bodyStart: bytes.length - 2,
    bodyLength: 2,
  });
  expect(readPlainHead(request(replaced('X-Stamp', 'x-sTAMP:\t a b \t')))?.headers).toEqual({ 'x-stamp': 'a b' });
  expect(readPlainHead(request(replaced('Content-Type', 'content-type: application/json; charset=UTF-8')))).toBeDefined();
});

test.each<[string, Buffer]>([
  ['another method', request(usual, 'GET /public/v1/submit/x HTTP/1.1')],
  ['a method in lower case', request(usual, 'post /public/v1/submit/x HTTP/1.1')],
  ['another version', request(usual, 'POST /public/v1/submit/x HTTP/1.0')],
  ['no version', request(usual, 'POST /public/v1/submit/x')],
  ['two spaces', request(usual, 'POST  /public/v1/submit/x HTTP/1.1')],
  ['a tab', request(usual, 'POST\t/public/v1/submit/x HTTP/1.1')],
  ['a query', request(usual, 'POST /public/v1/submit/x?y HTTP/1.1')],
  ['an escape', request(usual, 'POST /public/v1/%73ubmit/x HTTP/1.1')],
  ['a whole URL', request(usual, 'POST http://h/x HTTP/1.1')],
  ['a star', request(usual, 'POST * HTTP/1.1')],
  ['an empty line first', Buffer.concat([Buffer.from('\r\n'), request(usual)])],
  ['a bare line feed', Buffer.from(request(usual).toString('latin1').replace('\r\nAccept', '\nAccept'), 'latin1')],
  ['a bare carriage return', request([...usual, 'Accept-Language: a\rb'])],
  ['only line feeds', Buffer.from(request(usual).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
  ['a folded line', request([...usual, ' folded'])],
  ['a space before the colon', request(replaced('Content-Length', 'Content-Length : 2'))],
  ['no colon', request([...usual, 'Accept-Language'])],
  ['no name', request([...usual, ': x'])],
  ['a byte of zero', request([...usual, 'Accept-Language: a\0b'])],
  ['a byte beyond ASCII', request([...usual, 'Accept-Language: \xe9'])],
  ['an unknown header', request([...usual, 'X-Other: 1'])],
  ['a transfer coding', request([...usual, 'Transfer-Encoding: chunked'])],
  ['a transfer coding that says nothing', request([...usual, 'Transfer-Encoding: identity'])],
  ['two lengths that agree', request([...usual, 'Content-Length: 2'])],
  ['two lengths that differ', request([...usual, 'content-length: 3'])],
  ['a list of lengths', request(replaced('Content-Length', 'Content-Length: 2, 2'))],
  ['a length with a sign', request(replaced('Content-Length', 'Content-Length: +2'))],
  ['a negative length', request(replaced('Content-Length', 'Content-Length: -2'))],
  ['a length in hex', request(replaced('Content-Length', 'Content-Length: 0x2'))],
  ['a length with a leading zero', request(replaced('Content-Length', 'Content-Length: 02'))],
  ['a length of zero', request(replaced('Content-Length', 'Content-Length: 0'))],
  ['a length that is empty', request(replaced('Content-Length', 'Content-Length:'))],
  ['a length beyond all bounds', request(replaced('Content-Length', 'Content-Length: 100000000'))],
  ['no length', request(usual.filter((line) => !line.startsWith('Content-Length')))],
  ['no host', request(usual.filter((line) => !line.startsWith('Host')))],
  ['two hosts', request([...usual, 'host: other'])],
  ['two stamps', request([...usual, 'x-stamp: other'])],
  ['an expectation', request([...usual, 'Expect: 100-continue'])],
  ['an upgrade', request([...usual, 'Upgrade: h2c'])],
  ['a connection that is to close', request(replaced('Connection', 'Connection: close'))],
  ['a connection with other options', request(replaced('Connection', 'Connection: keep-alive, content-length'))],
  ['a browser', request([...usual, 'Origin: https://example.com'])],
  ['another type', request(replaced('Content-Type', 'Content-Type: text/plain'))],
  ['no type', request(usual.filter((line) => !line.startsWith('Content-Type')))],
  ['a compressed body', request([...usual, 'Content-Encoding: gzip'])],
  ['a head that is not whole', request(usual).subarray(0, -4)],
  ['a head that is too long', request([...usual, `User-Agent: ${'x'.repeat(13_000)}`])],
  ['nothing', Buffer.alloc(0)],
])('D14: %s is left to node:http', (_, bytes) => {
  expect(readPlainHead(bytes)).toBeUndefined();
});
