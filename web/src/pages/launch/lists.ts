import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';

/** What can be chosen from: the catalog with its stock, regions, images, and the SSH keys of the person and the project. */
export function useLaunchLists(isIn: boolean) {
  const catalog = useAsk(['catalog'], (options) => api.catalog.list({ limit: 100 }, options), { everyMs: 15_000 });
  const own = useAsk(['ssh-keys', 'all'], (options) => api.sshKeys.list({ limit: 100 }, options));
  const shared = useAsk(['ssh-keys', 'project'], (options) => api.sshKeys.projectList({ limit: 100 }, options), {
    enabled: isIn,
  });
  const regions = useAsk(['regions'], (options) => api.catalog.regionList({ limit: 100 }, options));
  const images = useAsk(['images'], (options) => api.catalog.osImageList({ limit: 100 }, options));
  const keys = own.data && [...own.data.data, ...(shared.data?.data ?? [])];
  return { catalog, regions, images, keys, keysError: own.error, keysAgain: () => void own.refetch() };
}
export type LaunchLists = ReturnType<typeof useLaunchLists>;
