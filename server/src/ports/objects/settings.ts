import { Type } from 'typebox';
import type { Clock } from '../../kernel/clock.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import type { Adapted } from '../adapter.ts';
import { openObjects } from './open.ts';
import type { Objects } from './port.ts';

/** Where objects are kept, by settings that every process has in common. */
export const objectsConfig = Type.Object({
  objectsFolder: Type.Optional(
    Type.String({ description: 'Where large things such as releases of the node agent are kept, as files.' }),
  ),
  s3Bucket: Type.Optional(
    Type.String({ description: 'A bucket for the same, of any store that speaks S3, instead of a folder.' }),
  ),
  s3Region: Type.String({ default: 'us-east-1', description: 'The region of the bucket.' }),
  s3Endpoint: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Where the store is, unless it is Amazon’s.' }),
  ),
  s3AccessKeyId: Type.Optional(Type.String({ description: 'Who asks the store.' })),
  s3SecretAccessKey: Type.Optional(Secret({ description: 'What that is proven with.' })),
});
interface ObjectsSettings {
  readonly objectsFolder?: string;
  readonly s3Bucket?: string;
  readonly s3Region: string;
  readonly s3Endpoint?: string;
  readonly s3AccessKeyId?: string;
  readonly s3SecretAccessKey?: string;
}

export function openObjectsOf(
  config: ObjectsSettings,
  parts: { readonly clock: Clock; readonly name: string },
): Promise<Objects & Adapted> {
  const { s3Bucket: bucket, s3Region: region, s3Endpoint: endpoint, objectsFolder } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (bucket) {
    if (!accessKeyId || !secretAccessKey) {
      throw new ConfigFault(parts.name, [
        'GPUAAS_S3_BUCKET needs GPUAAS_S3_ACCESS_KEY_ID and GPUAAS_S3_SECRET_ACCESS_KEY.',
      ]);
    }
    const store = { bucket, region, accessKeyId, secretAccessKey, ...(endpoint && { endpoint }) };
    return openObjects({ kind: 's3', ...store }, parts);
  }
  if (objectsFolder) return openObjects({ kind: 'files', root: objectsFolder }, parts);
  const because = 'nothing large is kept without GPUAAS_OBJECTS_FOLDER or GPUAAS_S3_BUCKET';
  return openObjects({ kind: 'none', because }, parts);
}
