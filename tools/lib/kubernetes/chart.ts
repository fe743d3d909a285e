import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { goProgram } from '../../../server/src/testing/servers/start.ts';
import { runProgram } from '../program.ts';
import { root } from '../tree.ts';
import type { KubernetesObject } from './strict.ts';

export const chartFolder = join(root, 'deploy/helm/gpuaas');
/** The oldest Kubernetes that the chart takes, and one of today. */
export const kubernetesVersions = ['1.30.0', '1.36.0'] as const;

/** Helm, built from its module once and kept, as the servers of other suites are. */
export const helmProgram = (): Promise<string> => goProgram('helm', 'helm.sh/helm/v3/cmd/helm', 'v3.22.0');

export interface Rendered {
  readonly objects: readonly KubernetesObject[];
  /** Why Helm refuses; empty when it does not. */
  readonly refused: string;
}

/** The objects of a release, with values of one size and more of an operator. */
export async function renderChart(size: string, values: object, kubernetes = '1.36.0'): Promise<Rendered> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-chart-'));
  try {
    const own = join(folder, 'values.yaml');
    await writeFile(own, stringify(values));
    const files = ['-f', join(chartFolder, `values-${size}.yaml`), '-f', own];
    const program = await helmProgram();
    const about = ['--kube-version', kubernetes, ...files];
    const lint = await runProgram(program, ['lint', '--strict', chartFolder, ...about]);
    const ran = await runProgram(program, ['template', 'gpuaas', chartFolder, '--namespace', 'gpuaas', ...about]);
    if (ran.code !== 0) return { objects: [], refused: ran.output };
    if (lint.code !== 0) return { objects: [], refused: lint.output };
    const objects = parseAllDocuments(ran.stdout).map((document) => {
      const [error] = document.errors;
      if (error) throw new Error(`Helm rendered what is no YAML: ${error.message}`);
      return document.toJS() as KubernetesObject | null;
    });
    return { objects: objects.filter((object) => object !== null), refused: '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
