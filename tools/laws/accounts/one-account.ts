import type { Tree } from '../../lib/tree.ts';
import type { Finding, Law } from '../law.ts';

/**
 * Image, unit, Debian package, chart, Compose file and guides run the processes as one account with one number, and keep settings
 * and identities to the same modes: files can then move between them. Each says so in words of its own; the image says it first.
 */
const image = 'tools/lib/packages/control/image.ts';
const account = /imageUser = \{ name: '([a-z]+)', id: ([\d_]+) \}/;

interface Place {
  readonly path: string;
  /** What is said about one thing. Each match has to be as expected, and there has to be one. */
  readonly says: readonly (readonly [what: string, pattern: RegExp, expected: (user: User) => string])[];
}
interface User {
  readonly name: string;
  readonly id: string;
}
const name = ({ name: text }: User) => text;
const id = ({ id: text }: User) => text;
const mode = (text: string) => () => text;

const places: readonly Place[] = [
  {
    path: 'deploy/systemd/gpuaas@.service',
    says: [
      ['the account', /^User=(.*)$/gm, name],
      ['the mode of new files', /^UMask=(.*)$/gm, mode('0077')],
    ],
  },
  {
    path: 'deploy/control-plane/debian/postinst',
    says: [
      ['the account', /^\s+useradd .* (\S+)$/gm, name],
      ['the number of the account', /--uid (\d+)/g, id],
      ['the number of the group', /--gid (\d+)/g, id],
      ['the mode of the settings', /install -d -m (\d+) -o root -g gpuaas \/etc\/gpuaas$/gm, mode('0750')],
    ],
  },
  {
    path: 'deploy/helm/gpuaas/templates/_names.tpl',
    says: [
      ['the number of the account', /runAsUser: (\S+)$/gm, id],
      ['the number of the group', /runAsGroup: (\S+)$/gm, id],
      ['the group of volumes', /fsGroup: (\S+)$/gm, id],
    ],
  },
  {
    path: 'deploy/compose/compose.yaml',
    says: [
      ['the account', /user: ["'](\d+):\d+["']/g, id],
      ['the group', /user: ["']\d+:(\d+)["']/g, id],
    ],
  },
  {
    path: 'docs/guides/run-on-your-own-servers.md',
    says: [
      ['the number of the account', /^useradd .*--uid (\d+)/gm, id],
      ['the account', /^useradd .* (\S+)$/gm, name],
    ],
  },
  {
    path: 'docs/guides/run-with-compose.md',
    says: [
      ['the number of the account', /^useradd .*--uid (\d+)/gm, id],
      ['the account', /^useradd .* (\S+)$/gm, name],
      ['the mode of the settings', /^install -d -m (\d+) -o root -g gpuaas \/etc\/gpuaas$/gm, mode('0750')],
      ['the mode of identities', /^install -d -m (\d+) -o gpuaas/gm, mode('0700')],
    ],
  },
  {
    path: 'server/src/edge/internal/process-identity.ts',
    says: [['the mode of identities', /await chmod\(folder, 0o(\d+)\)/g, mode('700')]],
  },
];

const law = 'one-account';

export const oneAccount: Law = {
  name: law,
  find(tree: Tree): Finding[] {
    const [, called, number] = account.exec(tree.text(image)) ?? [];
    if (called === undefined || number === undefined) {
      return [{ path: image, line: 1, law, message: 'the image does not say which account it has' }];
    }
    const user = { name: called, id: number.replaceAll('_', '') };
    return places.flatMap(({ path, says }) =>
      says.flatMap(([what, pattern, expected]) => {
        const found = [...tree.text(path).matchAll(pattern)].map(([, value = '']) => value);
        const wrong = found.length === 0 ? ['nothing'] : found.filter((value) => value !== expected(user));
        return wrong.map((value) => ({
          ...{ path, line: 1, law },
          message: `${what} is ${value} here and ${expected(user)} elsewhere; one account runs the processes everywhere`,
        }));
      }),
    );
  },
};
