import { createHash } from 'node:crypto';
import type { ReleaseArch } from '../releases/releases-store.ts';
import type { NodeDoor } from './install.ts';

/** The packages of one version, by architecture, and where they are fetched from. */
export interface AgentPackages {
  readonly version: string;
  /** SHA-256 in hex. */
  readonly digests: Readonly<Partial<Record<ReleaseArch, string>>>;
  /** The address that a file name is put behind, with a slash between. */
  readonly downloads: string;
}

/** What the kernel of a host calls its architecture. */
const machines: Readonly<Record<ReleaseArch, string>> = { x64: 'x86_64', arm64: 'aarch64' };
export const settingsPath = '/etc/gpuaas/node-agent.env';
export const unit = 'gpuaas-node-agent.service';

/** A word that means itself to a shell, whatever shell it is and with or without quotes around it. */
function plain(name: string, word: string): string {
  if (/^[\w/.:@+[\]-]*$/.test(word)) return word;
  throw new Error(`${name} cannot be written into a script as it is`);
}

/**
 * The installer that a host runs: it fetches the package for this machine, verifies it, installs it, enrols and starts the agent.
 * It pins everything that it trusts, and its own digest is in the line that an operator pastes. It holds no secret: the token
 * comes on standard input or in a file. The same packages give the same text.
 */
export function installScript(door: NodeDoor, packages: AgentPackages): string {
  const version = plain('the version', packages.version);
  const choices = Object.entries(packages.digests)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([arch, digest]) => `  ${machines[arch as ReleaseArch]}) digest=${plain('a digest', digest)} ;;`);
  return `#!/bin/sh
# Installs the GPUaaS node agent ${version} on this host, enrols the host and starts the agent.
#
#   sh install.sh                     the enrolment token comes on standard input
#   sh install.sh --token-file FILE   the token is in a file, which is removed
#
# The package must have the digest below, and the control plane must lead to the authority below.
set -eu
umask 077
downloads='${plain('the address of downloads', packages.downloads)}'
door='${plain('the address for nodes', door.url)}'
authority='${plain('the fingerprint', door.fingerprint ?? '')}'
settings=${settingsPath}

fail() {
  echo "gpuaas: $1" >&2
  exit 1
}

case $(uname -m) in
${choices.join('\n')}
  *) fail "no package of the agent is offered for $(uname -m): build and upload one (npm run package-agent)" ;;
esac
[ "$(id -u)" = 0 ] || fail "this needs root: run it with sudo"
token=
case \${1-} in
  '') IFS= read -r token || true ;;
  --token-file)
    IFS= read -r token <"$2" || true
    rm -f -- "$2"
    ;;
  *) fail "there is no option $1" ;;
esac
[ -n "$token" ] || fail "the enrolment token is missing: send it on standard input"

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
trap 'exit 1' HUP INT TERM
package=$folder/node-agent.tar.gz
if command -v curl >/dev/null; then
  curl --fail --silent --show-error --retry 5 --output "$package" "$downloads/$digest.tar.gz" </dev/null
else
  wget --quiet --tries=5 --output-document="$package" "$downloads/$digest.tar.gz" </dev/null
fi || fail "the package could not be fetched from $downloads"
echo "$digest  $package" | sha256sum -c - >/dev/null || fail "another package came than was asked for: nothing was installed"
tar -xzf "$package" -C "$folder"
sh "$folder"/gpuaas-node-agent-*/install.sh </dev/null

# What an operator has set stays; the address is ours.
mkdir -p "$(dirname "$settings")"
touch "$settings"
chmod 600 "$settings"
{ grep -v '^GPUAAS_API_URL=' "$settings" || true; } >"$folder/settings"
echo "GPUAAS_API_URL=$door" >>"$folder/settings"
cat "$folder/settings" >"$settings"

# Before the token is spent: it stops with advice where sshd cannot be configured.
node-agent prepare </dev/null
# printf is part of the shell: no list of processes shows the token.
printf '%s\\n' "$token" | node-agent enrol --url "$door" \${authority:+--ca-fingerprint "$authority"} --token -
systemctl enable --now ${unit} </dev/null
node-agent doctor </dev/null || echo "gpuaas: the host is enrolled; mend what is missing above before it is let"
`;
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
