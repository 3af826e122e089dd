import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { Approval, DecisionRequest } from '../request.ts';
import { liveApproval, requestValues } from './request-values.ts';
import { type RootQuorumState, rootQuorumState } from './root-quorum.ts';

/** What a decision reads of a request: who approved, how far the root quorum is, and the values that policies see. */
export class ReadRequest {
  readonly approval: Approval;
  readonly root: RootQuorumState;
  readonly #request: DecisionRequest;
  #values: NamespaceValues | undefined;

  constructor(request: DecisionRequest) {
    this.#request = request;
    this.approval = liveApproval(request);
    this.root = rootQuorumState(request, this.approval);
  }

  get values(): NamespaceValues {
    this.#values ??= requestValues(this.#request, this.approval);
    return this.#values;
  }
}

let last: { readonly request: DecisionRequest; readonly read: ReadRequest } | undefined;

/**
 * Reads a request. The last one is remembered, because its decision is explained right after it was made.
 * INVARIANT: a request does not change. Whoever has another question makes another request.
 */
export function readRequest(request: DecisionRequest): ReadRequest {
  if (last?.request !== request) last = { request, read: new ReadRequest(request) };
  return last.read;
}
