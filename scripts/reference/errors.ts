import { type ErrorSpec, errorCodes } from '@countersign/contract';
import { block, code, page, table } from './markdown.ts';

const example = {
  code: 3,
  message: 'invalid request: encoding is required',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'encoding', description: 'is required' }],
    },
  ],
  errorCode: 'REQUEST_INVALID',
};

/** Every error code that a caller can see. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorSpec>(errorCodes).map(([name, { status, grpc, retry, turnkey, turnkeyStatus, title }]) => [
    code(name),
    turnkeyStatus === undefined ? String(status) : `${status} (${turnkeyStatus} on the compatible base path)`,
    String(grpc),
    retry ? 'yes' : 'no',
    code(turnkey),
    title,
  ]);
  return page('Errors', 'packages/contract/src/errors.ts', [
    'A failure has an HTTP status and a JSON body. `errorCode` is stable. `message` is for people and may improve. `code` is the gRPC status code. On the compatible base path the error code is in `turnkeyErrorCode`.',
    block('json', JSON.stringify(example, null, 2)),
    'Retry shows whether the same request may succeed later. Sending the same body again is safe: the service executes it once.',
    table(['errorCode', 'HTTP', 'code', 'Retry', 'turnkeyErrorCode', 'Meaning'], rows),
  ]);
}
