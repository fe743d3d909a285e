import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { resolveApp } from '../resolve.ts';
import { plain } from '../show/value.ts';

/** The lines stand on the standard output alone, so that a shell can run them: `eval "$(gpuaas app registry login APP)"`. */
export const login: Run = async (session) => {
  const api = await session.api();
  const made = await api.apps.pushCredentialCreate({ app_id: await resolveApp(session, session.arg(0)) });
  const [registry, user, password] = [made.registry, made.username, made.password].map(plain);
  // Only a registry on this machine is reached without TLS.
  const tls = /^(?:127\.|localhost)/.test(made.registry) ? ' --tls-verify=false' : '';
  session.around.stdout.write(`podman login${tls} -u ${user} -p ${password} ${registry}\n`);
  session.say(`Good until ${made.expires_at}, to push to ${registry}/${plain(made.repository)}. For example:`);
  session.say(`  podman push${tls} IMAGE ${registry}/${plain(made.repository)}:1`);
  session.say(`  skopeo inspect${tls} --format '{{.Digest}}' docker://${registry}/${plain(made.repository)}:1`);
  return exitCodes.ok;
};
