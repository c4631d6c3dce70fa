// What a shell offers behind `tw`: commands, options, and files where neither is wanted.
#include <fmt/format.h>

#include "app/cli/command_tree.h"
#include "app/cli/manual.h"

namespace tw::cli {
namespace {

/// In single quotes, for all three shells.
std::string in_quotes(std::string const& text, char const* apostrophe = "'\\''") {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string(apostrophe) : std::string(1, c);
  return out + "'";
}

std::vector<CLI::App const*> with_all(CLI::App const& app) {
  std::vector<CLI::App const*> all{&app};
  std::vector<CLI::App const*> commands = all_commands(app);
  all.insert(all.end(), commands.begin(), commands.end());
  return all;
}

/// 'tw analyze'|'tw check'|...
std::string all_paths(CLI::App const& app) {
  std::vector<std::string> paths;
  for (CLI::App const* command : all_commands(app)) paths.push_back(in_quotes(path_of(*command)));
  return fmt::format("{}", fmt::join(paths, "|"));
}

std::string names_of(std::vector<CLI::App const*> const& commands) {
  std::vector<std::string> names;
  for (CLI::App const* command : commands) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

/// "name:what it is", as zsh's _describe takes it.
std::string described(std::string const& name, std::string text) {
  std::string safe;
  for (char c : name) safe += c == ':' ? std::string("\\:") : std::string(1, c);
  return in_quotes(safe + ":" + text);
}

}  // namespace

std::string bash_completion(CLI::App const& app) {
  std::string text = fmt::format(
      R"(# bash completion for {0}
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} place={0} commands= options= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$place ${{COMP_WORDS[i]}}" in
      {1}) place="$place ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $place in
)",
      app.get_name(), all_paths(app));
  for (CLI::App const* command : with_all(app))
    text += fmt::format("    {}) commands={} options={} ;;\n", in_quotes(path_of(*command)),
                        in_quotes(names_of(commands_of(*command))),
                        in_quotes(fmt::format("{}", fmt::join(option_names(*command), " "))));
  return text + fmt::format(R"(  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
  esac
}}
complete -o default -F _{0} {0}
)",
                            app.get_name());
}

std::string zsh_completion(CLI::App const& app) {
  std::string text = fmt::format(R"(#compdef {0}
_{0}() {{
  local place={0} word
  local -a commands options
  for word in ${{words[2,CURRENT-1]}}; do
    case "$place $word" in
      ({1}) place="$place $word" ;;
    esac
  done
  case $place in
)",
                                 app.get_name(), all_paths(app));
  for (CLI::App const* command : with_all(app)) {
    std::vector<std::string> commands, options;
    for (CLI::App const* inner : commands_of(*command))
      commands.push_back(described(inner->get_name(), inner->get_description()));
    for (std::string const& name : option_names(*command))
      options.push_back(described(name, find_option(*command, name)->get_description()));
    text += fmt::format("    ({}) commands=({}) options=({}) ;;\n", in_quotes(path_of(*command)),
                        fmt::join(commands, " "), fmt::join(options, " "));
  }
  return text + fmt::format(R"(  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}}
compdef _{0} {0}
)",
                            app.get_name());
}

std::string fish_completion(CLI::App const& app) {
  std::string name = app.get_name(), text = fmt::format("# fish completion for {}\n", name);
  for (CLI::App const* command : with_all(app)) {
    std::vector<std::string> conditions;
    for (CLI::App const* at = command; at->get_parent() != nullptr; at = at->get_parent())
      conditions.push_back("__fish_seen_subcommand_from " + at->get_name());
    std::string here = fmt::format("{}", fmt::join(conditions, "; and "));
    std::string others = names_of(commands_of(*command));
    std::string unchosen = others.empty()
                               ? here
                               : fmt::format("{}not __fish_seen_subcommand_from {}",
                                             here.empty() ? "" : here + "; and ", others);
    for (CLI::App const* inner : commands_of(*command))
      text += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", name, in_quotes(unchosen),
                          inner->get_name(), in_quotes(inner->get_description(), "\\'"));
    for (CLI::Option const* option : options_of(*command))
      for (std::string const& word : option->get_lnames())
        text += fmt::format("complete -c {}{} -l {}{} -d {}\n", name,
                            here.empty() ? "" : " -n " + in_quotes(here), word,
                            argument_of(*option).empty() ? "" : " -r",
                            in_quotes(option->get_description(), "\\'"));
  }
  return text;
}

}  // namespace tw::cli
