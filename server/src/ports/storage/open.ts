import { type Static, Type } from 'typebox';
import { Outage } from '../../kernel/fault.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import type { Adapted } from '../adapter.ts';
import { openFileStorage } from './files.ts';
import type { Storage } from './port.ts';
import { openS3Storage, type S3StorageConfig } from './s3.ts';

export type StorageConfig =
  | { readonly kind: 'files'; readonly root: string }
  | ({ readonly kind: 's3' } & S3StorageConfig)
  | { readonly kind: 'none'; readonly because: string };

/** The only place that knows where the bytes of tenants are kept. */
export async function openStorage(config: StorageConfig): Promise<Storage & Adapted> {
  switch (config.kind) {
    case 'files':
      return openFileStorage({ root: config.root });
    case 's3':
      return openS3Storage(config);
    case 'none':
      return makeNoStorage(config.because);
  }
}

/** An installation without storage for tenants: every use throws an error that says why. */
function makeNoStorage(because: string): Storage & Adapted {
  const refuse = async () => {
    throw new Outage(because);
  };
  return {
    adapter: { name: 'none', kind: 'none' },
    direct: undefined,
    ...{ begin: refuse, putPart: refuse, parts: refuse, finish: refuse, read: refuse, remove: refuse },
    check: async () => undefined,
    close: async () => undefined,
  };
}

export const storageConfig = Type.Object({
  storageFolder: Type.Optional(
    Type.String({ description: "Where tenants' files are kept, in a folder; never the folder of other objects." }),
  ),
  storageS3Bucket: Type.Optional(
    Type.String({
      description: "A bucket for tenants' files alone, of any store that speaks S3, instead of a folder.",
    }),
  ),
  storageS3Region: Type.String({ default: 'us-east-1', description: 'The region of that bucket.' }),
  storageS3Endpoint: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Where we reach that store, unless it is Amazon’s.' }),
  ),
  storageS3DirectEndpoint: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Where people and machines reach that store. They then send and fetch bytes there by presigned requests; without it bytes pass through the api.',
    }),
  ),
  storageS3AccessKeyId: Type.Optional(Type.String({ description: 'Who asks that store.' })),
  storageS3SecretAccessKey: Type.Optional(Secret({ description: 'What that is proven with.' })),
});

/** The settings of a process as a choice of adapter. */
export function storageOf(
  name: string,
  config: Static<typeof storageConfig> & { readonly s3Bucket?: string; readonly objectsFolder?: string },
): StorageConfig {
  const { storageS3Bucket: bucket, storageFolder: root } = config;
  if (bucket) {
    const { storageS3AccessKeyId: accessKeyId, storageS3SecretAccessKey: secretAccessKey } = config;
    if (bucket === config.s3Bucket) {
      throw new ConfigFault(name, ['GPUAAS_STORAGE_S3_BUCKET must not be GPUAAS_S3_BUCKET: tenants get their own.']);
    }
    if (!accessKeyId || !secretAccessKey) {
      throw new ConfigFault(name, [
        'GPUAAS_STORAGE_S3_BUCKET needs GPUAAS_STORAGE_S3_ACCESS_KEY_ID and GPUAAS_STORAGE_S3_SECRET_ACCESS_KEY.',
      ]);
    }
    const { storageS3Region: region, storageS3Endpoint: endpoint, storageS3DirectEndpoint: directEndpoint } = config;
    return {
      ...{ kind: 's3', bucket, region, accessKeyId, secretAccessKey, directEndpoint },
      ...(endpoint && { endpoint }),
    };
  }
  if (root) {
    if (root === config.objectsFolder) {
      throw new ConfigFault(name, ['GPUAAS_STORAGE_FOLDER must not be GPUAAS_OBJECTS_FOLDER: tenants get their own.']);
    }
    return { kind: 'files', root };
  }
  return {
    kind: 'none',
    because: "tenants' files are not kept without GPUAAS_STORAGE_FOLDER or GPUAAS_STORAGE_S3_BUCKET",
  };
}
