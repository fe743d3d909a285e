/** Trouble that the agent itself has with a task, not its host. The code is for programs, the message for an operator. */
export class TaskFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'TaskFailure';
    this.code = code;
  }
}
