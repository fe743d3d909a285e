import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processes } from '../../../server/src/bin/processes.ts';
import { variable } from '../../../server/src/kernel/process/config.ts';
import { root } from '../outputs.ts';
import { doorsOf, firstHealthPort } from './doors.ts';
import { emitProcessTable, processTable, variablesOf } from './processes.ts';
import { emitValuesSchema } from './values-schema.ts';

const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const everyDoor = processes.flatMap(({ spec }) => doorsOf(spec.name).map((door) => ({ ...door, process: spec.name })));

describe('the ports of the processes', () => {
  it('are all known, and no two are the same, so that every process fits on one machine', () => {
    expect(everyDoor).toHaveLength(9);
    const numbers = everyDoor.map(({ number }) => number);
    const health = processes.map((_, at) => firstHealthPort + at);
    expect(new Set([...numbers, ...health]).size).toBe(numbers.length + health.length);
    expect(() => doorsOf('no-process')).toThrow('there is no process no-process');
  });

  it('are those of the guide for your own servers', () => {
    const guide = read('docs/guides/run-on-your-own-servers.md');
    const fileOf = (process: string) => guide.split(`\`/etc/gpuaas/${process}.env\`:`)[1]?.split('```')[1] ?? '';
    for (const { process, name, port, number } of everyDoor) {
      // The guide has no jump host.
      if (name !== 'ssh') expect(fileOf(process), `${process} ${name}`).toContain(`${variable(port)}=${number}\n`);
    }
    const health = processes.map(({ spec }) => Number(/GPUAAS_HEALTH_PORT=(\d+)/.exec(fileOf(spec.name))?.[1]));
    expect(health.sort((a, b) => a - b)).toEqual(processes.map((_, at) => firstHealthPort + at));
  });

  it('are those that the edge passes on to', () => {
    const conf = read('deploy/edge/nginx/gpuaas/http.conf') + read('deploy/edge/nginx/gpuaas/stream.conf');
    const used = new Set([...conf.matchAll(/10\.0\.0\.11:(\d+)/g)].map(([, number]) => Number(number)));
    const passed = everyDoor.filter(({ name, from }) => name !== 'ssh' && from.some((who) => who !== 'processes'));
    expect(used).toEqual(new Set(passed.map(({ number }) => number)));
  });
});

describe('what the chart knows of the processes', () => {
  it('is what the processes say, down to the byte', () => {
    expect(read('deploy/helm/gpuaas/files/processes.json')).toBe(emitProcessTable());
    expect(read('deploy/helm/gpuaas/values.schema.json')).toBe(emitValuesSchema());
    expect(processTable().map(({ name }) => name)).toEqual(processes.map(({ spec }) => spec.name));
  });

  it('keeps secrets apart from settings, so that values cannot hold one', () => {
    const schema = emitValuesSchema();
    for (const { spec } of processes) {
      const { plain, secret } = variablesOf(spec.name);
      expect(plain.filter((name) => secret.includes(name))).toEqual([]);
      for (const name of secret) expect(schema, name).not.toContain(`"${name}"`);
    }
    expect(variablesOf('api').secret).toContain('GPUAAS_SECRETS_KEY');
    expect(schema).toContain('"GPUAAS_PUBLIC_URL"');
  });

  it('has the connections that the page of settings has', () => {
    const page = read('docs/reference/configuration.md');
    for (const { name, connections } of processTable()) {
      expect(page).toContain(`| ${name} | ${connections.all} | ${connections.own} | ${connections.least} |`);
    }
  });
});
