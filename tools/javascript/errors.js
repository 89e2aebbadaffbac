// What calls throw.

/** An error that the server answered with. `code` and `data` are those of the protocol. */
export class WhenceError extends Error {
  constructor(message, code, data) {
    super(message);
    this.name = 'WhenceError';
    this.code = code;
    this.data = data;
  }
}

/** No answer: the server is away, or the outcome of the request is unknown. `sent` is false where no server can have it. */
export class ConnectionLost extends WhenceError {
  constructor(message, options) {
    super(message);
    this.name = 'ConnectionLost';
    this.cause = options?.cause;
    this.sent = options?.sent ?? true;
  }
}

export const UNAUTHENTICATED = -32010;
export const BUSY = -32051;
export const DEADLINE_EXCEEDED = -32801;
export const STORAGE_FULL = -32080;
export const RESUME_IMPOSSIBLE = -32061;
