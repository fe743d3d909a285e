import { readText } from '../../host/linux/sysfs.ts';

/** How this distribution of Linux is mended. */
export interface Distribution {
  /** The command that installs what has this name in each family. */
  install(names: { readonly debian: string; readonly redHat: string }): string;
  /** The command that adds words to the kernel's command line. */
  kernelArgs(words: string): string;
}

export async function readDistribution(root: string): Promise<Distribution> {
  const facts = await readText(root, 'etc/os-release');
  const named = [...facts.matchAll(/^ID(?:_LIKE)?=(.+)$/gm)].map(([, value = '']) => value.replaceAll('"', ''));
  const isRedHat = named.some((value) => /\b(?:rhel|fedora|centos|rocky|almalinux)\b/.test(value));
  return isRedHat
    ? {
        install: ({ redHat }) => `dnf install -y ${redHat}`,
        kernelArgs: (words) => `grubby --update-kernel=ALL --args="${words}" && reboot`,
      }
    : {
        install: ({ debian }) => `apt-get install -y ${debian}`,
        kernelArgs: (words) =>
          `echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ${words}"' > /etc/default/grub.d/gpuaas.cfg && update-grub && reboot`,
      };
}
