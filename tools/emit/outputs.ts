import { readFileSync } from 'node:fs';
import { emitAuthorisation } from './authorisation.ts';
import { emitCommandLines } from './cli/commands.ts';
import { emitCliFirstHelp, emitCliHelp } from './cli/help.ts';
import { emitCliReference } from './cli/reference.ts';
import { emitConfiguration } from './configuration.ts';
import { emitAsyncapi } from './contract/asyncapi.ts';
import { checkContract } from './contract/check-contract.ts';
import { emitOpenapi } from './contract/openapi.ts';
import { type Contract, contractOf } from './contract.ts';
import { emitProcessTable } from './deployment/processes.ts';
import { emitValuesSchema } from './deployment/values-schema.ts';
import { emitExists } from './exists/pages.ts';
import { emitEvents, emitRoutes } from './lists.ts';
import { emitMachines } from './machines.ts';
import { emitMetrics } from './metrics.ts';
import { emitNodeProtocol } from './node-protocol.ts';
import { emitErrors, emitEventReference, emitPolicies, emitScopes } from './reference.ts';
import { emitRunbookCatalog, emitRunbookPages } from './runbooks.ts';
import { emitSagas } from './sagas.ts';
import { emitPythonSdk } from './sdk/python.ts';
import { emitPythonToCall } from './sdk/python-sync.ts';
import type { OpenApi } from './sdk/schema.ts';
import { emitTypescriptSdk } from './sdk/typescript.ts';

/** Something that is written from the contract and committed. Paths are relative to the root of the repository. */
export type Output =
  | { readonly file: string; emit(contract: Contract): string }
  /** A folder that holds emitted files and nothing else: what is not emitted any more is removed from it. */
  | { readonly folder: string; emit(contract: Contract): ReadonlyMap<string, string> };

/** To emit another file, add a line here; writing, checking and removing follow. */
export const outputs: readonly Output[] = [
  { file: 'api/openapi.json', emit: emitOpenapi },
  { file: 'api/asyncapi.json', emit: emitAsyncapi },
  { file: 'api/node-protocol.json', emit: ({ version }) => emitNodeProtocol(version) },
  { file: 'api/routes.txt', emit: emitRoutes },
  { file: 'api/events.txt', emit: emitEvents },
  { file: 'deploy/helm/gpuaas/files/processes.json', emit: emitProcessTable },
  { file: 'deploy/helm/gpuaas/values.schema.json', emit: emitValuesSchema },
  { file: 'docs/authorisation.md', emit: emitAuthorisation },
  { file: 'docs/reference/configuration.md', emit: emitConfiguration },
  { file: 'docs/reference/errors.md', emit: emitErrors },
  { file: 'docs/reference/events.md', emit: emitEventReference },
  { file: 'docs/reference/metrics.md', emit: () => emitMetrics(root) },
  { file: 'docs/reference/policies.md', emit: emitPolicies },
  { file: 'docs/reference/scopes.md', emit: emitScopes },
  { file: 'docs/compensation.md', emit: emitSagas },
  { file: 'docs/runbooks/runbooks.catalog.json', emit: () => emitRunbookCatalog(root) },
  { file: 'server/src/domains/runbooks/generated/catalog.ts', emit: () => emitRunbookPages(root) },
  { file: 'cli/bin/help.txt', emit: emitCliFirstHelp },
  { file: 'cli/bin/help.json', emit: emitCliHelp },
  { file: 'docs/reference/cli.md', emit: emitCliReference },
  {
    file: 'web/src/words/generated/commands.ts',
    emit: (contract) => emitCommandLines(JSON.parse(emitOpenapi(contract)) as OpenApi),
  },
  { folder: 'docs/exists', emit: (contract) => emitExists(contract, root) },
  { folder: 'api/machines', emit: ({ machines }) => emitMachines(machines) },
  {
    folder: 'sdk/typescript/src/generated',
    emit: (contract) => emitTypescriptSdk(JSON.parse(emitOpenapi(contract)) as OpenApi),
  },
  {
    folder: 'sdk/python/src/gpuaas/_generated',
    emit: (contract) => emitPythonSdk(JSON.parse(emitOpenapi(contract)) as OpenApi),
  },
  { folder: 'sdk/python/src/gpuaas/_sync', emit: () => emitPythonToCall(`${root}sdk/python/src/gpuaas/_aio`) },
];

/** The promises that may not be broken between releases; `api/baseline` keeps them as the last release made them. */
export const promises = ['openapi.json', 'asyncapi.json', 'node-protocol.json'] as const;

export const root = new URL('../../', import.meta.url).pathname;

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
  return version;
}

/** Every emitted file with its text, in the order of the list. Writes nothing. */
export function emitAll(contract: Contract = contractOf(readVersion())): Map<string, string> {
  checkContract(contract);
  return new Map(
    outputs.flatMap((output): [string, string][] =>
      'file' in output
        ? [[output.file, output.emit(contract)]]
        : [...output.emit(contract)].map(([name, text]) => [`${output.folder}/${name}`, text]),
    ),
  );
}
