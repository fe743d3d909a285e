/** The name of a thing as API, events and audit give it: `gpuaas:{region}:{organization}:{project}:{type}:{id}`. */
export const resourceName = (
  region: string,
  of: { readonly organizationId: string; readonly projectId?: string | undefined },
  type: string,
  id: string,
): string => `gpuaas:${region}:${of.organizationId}:${of.projectId ?? ''}:${type}:${encodeURIComponent(id)}`;
