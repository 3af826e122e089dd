import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { Approval, DecisionRequest } from '../request.ts';
import { liveApproval, requestValues } from './request-values.ts';
import { type RootQuorumState, rootQuorumState } from './root-quorum.ts';

/** The parts of a request that a decision reads: the approvers, the state of the root quorum, and the values that policies see. */
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
 * Reads a request. Memoizes the last one, because its decision is explained right after it is made.
 * INVARIANT: a request is immutable. A different question needs a new request object.
 */
export function readRequest(request: DecisionRequest): ReadRequest {
  if (last?.request !== request) last = { request, read: new ReadRequest(request) };
  return last.read;
}
