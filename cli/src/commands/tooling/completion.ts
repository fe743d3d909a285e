import { type CommandSpec, everyFlag, type FlagSpec, type Run } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';

/** Completion is a table of words and their successors, written for each shell. */
const shells: Readonly<Record<string, (commands: readonly CommandSpec[]) => string>> = { bash, zsh, fish };

export const completion: Run = async (session) => {
  const make = Object.hasOwn(shells, session.arg(0)) ? shells[session.arg(0)] : undefined;
  if (!make) throw usageFailure(`There is no completion for ${JSON.stringify(session.arg(0))}.`, 'bash, zsh or fish.');
  session.around.stdout.write(make(session.commands));
  return exitCodes.ok;
};

/** Every prefix of a command, with the words that may follow. */
function followers(commands: readonly CommandSpec[]): Map<string, string[]> {
  const after = new Map<string, Set<string>>();
  for (const { name } of commands) {
    const words = name.split(' ');
    words.forEach((word, index) => {
      const before = words.slice(0, index).join(' ');
      after.set(before, (after.get(before) ?? new Set()).add(word));
    });
  }
  return new Map([...after].map(([before, words]) => [before, [...words].sort()]));
}
const flagsOf = ({ flags = {} }: CommandSpec): string[] =>
  [...Object.keys(flags), ...Object.keys(everyFlag)].map((name) => `--${name}`);

/** Flags with a fixed set of values. Most are the same for all commands; the others name their command. */
const choicesOf = (flags: Readonly<Record<string, FlagSpec>>): (readonly [string, readonly string[]])[] =>
  Object.entries(flags).flatMap(([name, { choices }]) => (choices ? [[name, choices] as const] : []));

function bash(commands: readonly CommandSpec[]): string {
  const words = [...followers(commands)].map(([before, next]) => `    '${before}') words='${next.join(' ')}' ;;`);
  const line = (pattern: string, choices: readonly string[]) => `      '${pattern}') words='${choices.join(' ')}' ;;`;
  const choices = [
    ...commands.flatMap((each) =>
      choicesOf(each.flags ?? {}).map(([flag, some]) => line(`${each.name} --${flag}`, some)),
    ),
  ];
  const everywhere = choicesOf(everyFlag).flatMap(([flag, some]) => [
    `    --${flag}) words='${some.join(' ')}' ;;`,
    ...(everyFlag[flag]?.short ? [`    -${everyFlag[flag]?.short}) words='${some.join(' ')}' ;;`] : []),
  ]);
  const flags = commands.map((each) => `    '${each.name}') flags='${flagsOf(each).join(' ')}' ;;`);
  return `# Completion of gpuaas for bash.
_gpuaas() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" said='' words='' flags='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -*) ;; *) said="\${said:+$said }\${COMP_WORDS[at]}" ;; esac
  done
  case "$said" in
${words.join('\n')}
  esac
  local named=''
  while [ -n "$said" ] && [ -z "$flags" ]; do
    named="$said"
    case "$said" in
${flags.join('\n')}
    esac
    case "$said" in *' '*) said="\${said% *}" ;; *) said='' ;; esac
  done
  case "$current" in -*) words="$flags" ;; esac
  case "$before" in
    -*)
      case "$named $before" in
${choices.join('\n')}
      esac
      ;;
  esac
  case "$before" in
${everywhere.join('\n')}
  esac
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gpuaas gpuaas
# The same behind npx, which is how a clone is used without installing anything.
_gpuaas_npx() {
  if [ "$COMP_CWORD" -eq 1 ]; then
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W gpuaas -- "\${COMP_WORDS[1]}"))
  elif [ "\${COMP_WORDS[1]}" = gpuaas ]; then
    COMP_WORDS=("\${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
    _gpuaas
  fi
}
complete -o default -F _gpuaas_npx npx
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  return `#compdef gpuaas
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly CommandSpec[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, flags = {} }) => {
    const words = name.split(' ');
    const last = words.at(-1) ?? name;
    const before = words.slice(0, -1);
    const seen = before.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const condition = before.length === 0 ? '__fish_use_subcommand' : seen;
    const here = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    return [
      `complete -c gpuaas -f -n ${quote(condition)} -a ${quote(last)} -d ${quote(summary)}`,
      ...Object.entries(flags).map(
        ([flag, { meaning, type, choices }]) =>
          `complete -c gpuaas -n ${quote(here)} -l ${flag}${choices ? ` -x -a ${quote(choices.join(' '))}` : type === 'string' ? ' -r' : ''} -d ${quote(meaning)}`,
      ),
    ];
  });
  const parents = [...followers(commands).keys()].filter((before) => before !== '' && !before.includes(' '));
  const below = parents.map(
    (parent) =>
      `complete -c gpuaas -f -n '__fish_use_subcommand' -a ${quote(parent)} -d ${quote(`gpuaas ${parent} …`)}`,
  );
  return `# Completion of gpuaas for fish. With npx: alias gpuaas 'npx gpuaas'\n${[...below, ...lines].join('\n')}\n`;
}
