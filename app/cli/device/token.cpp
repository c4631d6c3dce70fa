#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/device/rpc/token_file.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

struct Arguments {
  std::string file, name, copy;
};

/// The new token alone, for the client, where a file was asked for; else it is printed.
int add(Context const& context, Arguments const& arguments) {
  auto token = add_token(arguments.file, arguments.name);
  if (!token) return report(context, token.error());
  if (!arguments.copy.empty())
    if (Status written = write_private_file(arguments.copy, *token + "\n"); !written) {
      (void)revoke_token(arguments.file, arguments.name);  // nobody has it
      return report(context, written.error());
    }
  bool shown = arguments.copy.empty();
  if (context.json)
    return print({{"name", arguments.name},
                  {"file", shown ? "" : arguments.copy},
                  {"token", shown ? *token : ""}}),
           0;
  fmt::print("{} can connect now; its token is {}\n", arguments.name,
             shown ? *token : "in " + arguments.copy);
  return 0;
}

int list(Context const& context, Arguments const& arguments) {
  auto entries = read_tokens(arguments.file);
  if (!entries) return report(context, entries.error());
  Json rows = Json::array();
  for (TokenEntry const& entry : *entries) {
    rows.push_back({{"name", entry.name}, {"line", entry.line}});
    if (!context.json) fmt::print("{:<40} line {}\n", entry.name, entry.line);
  }
  if (context.json) print(rows);
  return 0;
}

int revoke(Context const& context, Arguments const& arguments) {
  auto left = revoke_token(arguments.file, arguments.name);
  if (!left) return report(context, left.error());
  if (context.json) return print({{"revoked", arguments.name}, {"left", *left}}), 0;
  fmt::print("{} can no longer connect; {} left\n", arguments.name, count_text(*left, "token"));
  return 0;
}

}  // namespace

void add_tokens(Command device, Context& context) {
  auto tokens = device.add_subcommand(
      "token",
      "manage who may connect: the token file of `tw device serve`, read again while it serves");
  tokens.require_subcommand(1);
  auto arguments = std::make_shared<Arguments>();
  auto command = [&](char const* word, char const* words, auto act, bool named) {
    auto made = tokens.add_subcommand(word, words);
    made.add_option("FILE", arguments->file, "the token file").required();
    if (named) made.add_option("NAME", arguments->name, "the client's name").required();
    made.callback([&context, arguments, act] {
      context.run = [&context, arguments, act] { return act(context, *arguments); };
    });
    return made;
  };
  command("add", "make a new token for a client; the file is created if it is missing", add, true)
      .add_option(
          "--out", arguments->copy,
          "write the token to this file, readable only by this user, instead of printing it")
      .type_name("F");
  command("list", "list the clients that have a token", list, false);
  command("revoke", "revoke a client's token: its connection ends at its next call", revoke, true);
}

}  // namespace tw::cli
