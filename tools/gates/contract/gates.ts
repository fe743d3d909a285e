import { checkAsyncapi } from './asyncapi-breaking.ts';
import { sidesOf } from './documents.ts';
import { checkAsyncapiIsValid, checkOpenapiIsValid } from './documents-valid.ts';
import { checkEmitted } from './emitted-current.ts';
import { checkNodeProtocol } from './node-protocol-breaking.ts';
import { checkOpenapi } from './openapi-breaking.ts';
import { checkReleased } from './released.ts';
import type { Verdict } from './verdict.ts';

/** Every gate over the contract. None of them has a way to be skipped. */
export const gates: readonly ((root: string) => Promise<Verdict>)[] = [
  (root) => checkEmitted(root),
  (root) => checkOpenapiIsValid(`${root}api/openapi.json`),
  (root) => checkAsyncapiIsValid(`${root}api/asyncapi.json`),
  (root) => checkReleased(root),
  (root) => checkOpenapi(sidesOf(root, 'openapi.json')),
  (root) => checkAsyncapi(sidesOf(root, 'asyncapi.json')),
  (root) => checkNodeProtocol(sidesOf(root, 'node-protocol.json')),
];
