import { type ErrorCode, errorCodes } from '@countersign/contract';

/** The response to bytes that are not an HTTP request, or to a request that did not arrive in time. */
export function rawErrorResponse(error: { readonly code?: string | undefined }): string {
  const code: ErrorCode = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'REQUEST_INVALID';
  const { status, grpc, title } = errorCodes[code];
  const body = JSON.stringify({ code: grpc, message: `${title}.`, details: [], errorCode: code });
  const reason = code === 'REQUEST_TIMEOUT' ? 'Request Timeout' : 'Bad Request';
  return `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
