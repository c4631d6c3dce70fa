#include "app/cli/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/command_tree.h"

namespace tw::cli {
namespace {

constexpr char kOfAll[] = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
a check failed, or a step was refused
.TP
2
unusable input: a file, an argument
.TP
3
the environment failed: a full disk, a lost device
.SH ENVIRONMENT
.TP
TW_CACHE_DIR
where compiled kernels and measured roofs are kept (else what "tw cache --folder" chose, XDG_CACHE_HOME/tilewright, ~/.cache/tilewright)
.TP
TW_CONFIG_DIR
where the list of devices and own macros are kept (else XDG_CONFIG_HOME/tilewright, ~/.config/tilewright)
.TP
TW_DATA_DIR
where trials are kept (else XDG_DATA_HOME/tilewright, ~/.local/share/tilewright)
.TP
TW_PASSES_OFF
passes of lowering to leave out, by the names that lower --stage list gives, with commas between
.TP
TW_VERIFY_PASSES
1: every kernel is checked after every pass
.TP
TW_DUMP_AFTER
passes after which each kernel is written to standard error, with commas between, or all
.TP
TW_TIME_PASSES
1: the time of each pass for each kernel is written to standard error
)";

/// Text as roff prints it: no escapes, no hyphens for minus signs, no line that is a request.
std::string plain(std::string const& text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string names_of(CLI::Option const& option) {
  std::vector<std::string> names;
  for (std::string const& name : option.get_snames()) names.push_back("-" + name);
  for (std::string const& name : option.get_lnames()) names.push_back("--" + name);
  std::string text = fmt::format("\\fB{}\\fR", plain(fmt::format("{}", fmt::join(names, ", "))));
  std::string argument = argument_of(option);
  return argument.empty() ? text : fmt::format("{} \\fI{}\\fR", text, plain(argument));
}

std::string item(std::string const& head, std::string const& text) {
  return fmt::format(".TP\n{}\n{}\n", head, plain(text));
}

std::string synopsis(CLI::App const& app) {
  std::string line = fmt::format("\\fB{}\\fR", plain(path_of(app)));
  if (!options_of(app).empty()) line += " [\\fIoptions\\fR]";
  for (CLI::Option const* operand : operands_of(app)) {
    std::string name =
        plain(operand->get_name(true)) + (operand->get_items_expected_max() > 1 ? " ..." : "");
    line += operand->get_required() ? fmt::format(" \\fI{}\\fR", name)
                                    : fmt::format(" [\\fI{}\\fR]", name);
  }
  return line + (commands_of(app).empty() ? "" : " \\fIcommand\\fR") + "\n";
}

std::string arguments(CLI::App const& app) {
  std::string text;
  for (CLI::Option const* operand : operands_of(app))
    text +=
        item(fmt::format("\\fI{}\\fR", plain(operand->get_name(true))), operand->get_description());
  for (CLI::Option const* option : options_of(app))
    text += item(names_of(*option), option->get_description());
  return text;
}

std::string page_name(CLI::App const& app) {
  std::string name = path_of(app);
  std::ranges::replace(name, ' ', '-');
  return name;
}

}  // namespace

std::string manual_page(CLI::App const& app, std::string const& version) {
  bool whole = app.get_parent() == nullptr;
  std::string name = page_name(app), upper = name;
  for (char& c : upper) c = char(std::toupper(static_cast<unsigned char>(c)));
  std::string page =
      fmt::format(".TH {} 1 \"\" \"Tilewright {}\" \"Tilewright\"\n", plain(upper), plain(version));
  page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", plain(name),
                      plain(app.get_description()), synopsis(app));
  if (std::string own = arguments(app); !own.empty()) page += ".SH OPTIONS\n" + own;
  for (CLI::App const* command : whole ? commands_of(app) : all_commands(app)) {
    if (command == commands_of(app).front()) page += ".SH COMMANDS\n";
    std::string words = path_of(*command).substr(path_of(app).size() + 1);
    page += item(fmt::format("\\fB{}\\fR", plain(words)), command->get_description());
    std::string inner = whole ? "" : arguments(*command);
    if (!inner.empty()) page += ".RS\n" + inner + ".RE\n";
  }
  if (!whole) return page + ".SH SEE ALSO\n\\fBtw\\fR(1)\n";
  page += kOfAll;
  std::string others;
  for (CLI::App const* command : commands_of(app))
    others +=
        fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ", ", plain(page_name(*command)));
  return page + ".SH SEE ALSO\n" + others + "\n";
}

}  // namespace tw::cli
