/** The API of GPUaaS for TypeScript. The emitted layer is below `generated`; this is what people import. */
export { type Gpuaas, openGpuaas, placeOf } from './client.ts';
export type { Api } from './generated/api.ts';
export { type ErrorCode, errorCodes } from './generated/errors.ts';
export { type OperationId, operations, spaces } from './generated/operations.ts';
export type * from './generated/types.ts';
export {
  AllocationEnded,
  AllocationLate,
  type AllocationState,
  type Launched,
  type LaunchOptions,
  regionFor,
  type Waiting,
} from './launched.ts';
export type {
  CallOptions,
  EventEnvelope,
  EventStream,
  OperationFacts,
  Page,
  Paged,
  StreamedEvent,
} from './operation.ts';
export { GpuaasError, GpuaasUnreachable } from './problem.ts';
export { type ServiceAccountOptions, type ServiceAccountSigner, serviceAccountTokens } from './service-account.ts';
export {
  connectTerminal,
  type TerminalEnd,
  type TerminalHandlers,
  type TerminalLine,
  type TerminalReady,
} from './terminal.ts';
export type { ClientOptions } from './transport.ts';
export { wakeUps } from './wake-ups.ts';
