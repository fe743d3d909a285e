import type { Session } from './command.ts';

/** An effective setting and its source. */
export interface Setting {
  readonly value: string | undefined;
  readonly from: string;
}
type Name = 'profile' | 'project' | 'region' | 'output';

/** A flag overrides the environment, that the project file, and that the profile. */
export function settingOf(
  { text, around, file }: Pick<Session, 'text' | 'around' | 'file'>,
  name: Name,
  kept?: Setting,
): Setting {
  const variable = `GPUAAS_${name.toUpperCase()}`;
  const typed = text(name);
  if (typed !== undefined) return { value: typed, from: `--${name}` };
  if (around.env[variable]) return { value: around.env[variable], from: variable };
  if (file?.[name] !== undefined) return { value: file[name], from: file.path };
  return kept ?? { value: undefined, from: 'default' };
}
