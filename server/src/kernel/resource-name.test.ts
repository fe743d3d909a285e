import { describe, expect, it } from 'vitest';
import { resourceName } from './resource-name.ts';

describe('the name of a resource', () => {
  it('says region, organization, project, type and id', () => {
    expect(resourceName('eu-1', { organizationId: 'o', projectId: 'p' }, 'tenancy/project', 'i')).toBe(
      'gpuaas:eu-1:o:p:tenancy/project:i',
    );
  });

  it('has an empty place where there is no project, and always six parts', () => {
    const name = resourceName('eu-1', { organizationId: 'o' }, 'storage/object', 'a:b/c d');
    expect(name).toBe('gpuaas:eu-1:o::storage/object:a%3Ab%2Fc%20d');
    expect(name.split(':')).toHaveLength(6);
  });
});
