import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSettings } from '../settings.ts';
import { type Log, makeLineLog } from '../telemetry/log.ts';
import { openRotatingFile, type RotatingFile } from '../telemetry/rotating-file.ts';
import type { Settings } from './options.ts';

const mebibyte = 1024 * 1024;
const filesEach = 4;

/** What every command makes of the settings. */
export function agentSettings(settings: Settings, version: string): AgentSettings {
  return {
    url: new URL(settings.GPUAAS_API_URL),
    stateDir: settings.GPUAAS_STATE_DIR,
    agentVersion: version,
    bootId: readBootId(),
    ...(settings.GPUAAS_PEER_ID !== undefined && { peerId: settings.GPUAAS_PEER_ID }),
    ...(settings.GPUAAS_CA_BUNDLE_PATH !== undefined && { httpsTrustPath: settings.GPUAAS_CA_BUNDLE_PATH }),
    ...(settings.GPUAAS_NODE_CERT_CA_BUNDLE_PATH !== undefined && {
      nodeAuthorityPath: settings.GPUAAS_NODE_CERT_CA_BUNDLE_PATH,
    }),
    ...(settings.GPUAAS_ENROLMENT_TOKEN !== undefined && {
      enrolment: {
        token: settings.GPUAAS_ENROLMENT_TOKEN,
        ...(settings.GPUAAS_CA_FINGERPRINT !== undefined && { caFingerprint: settings.GPUAAS_CA_FINGERPRINT }),
      },
    }),
  };
}

/** Changes with every boot of the machine and with nothing else. */
function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export interface Records {
  readonly log: Log;
  readonly samples: RotatingFile;
  close(): void;
}

/** Logs and samples, each with its share of the disk. What is logged goes to standard error too, for journald. */
export function openRecords(settings: Settings, echo: (line: string) => void): Records {
  const capBytes = Math.floor((settings.GPUAAS_LOG_MIB * mebibyte) / filesEach);
  const at = (name: string) => ({ path: join(settings.GPUAAS_LOG_DIR, name), capBytes, files: filesEach });
  const lines = openRotatingFile(at('node-agent.log'));
  const samples = openRotatingFile(at('node-agent-samples.jsonl'));
  return {
    samples,
    log: makeLineLog({
      level: settings.GPUAAS_LOG_LEVEL,
      now: () => new Date(),
      write: (line) => {
        lines.append(line);
        echo(line);
      },
    }),
    close() {
      lines.close();
      samples.close();
    },
  };
}
