#include "app/shared/devices.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "engine/device/rpc/address.h"
#include "engine/device/rpc/token_file.h"
#include "engine/support/base/quantities.h"
#include "engine/support/program.h"

namespace tw::cli::command_devices {
namespace {

Json rate_json(Rate const& rate) {
  return {{"one_core", rate.one_core}, {"all_cores", rate.all_cores}};
}

Json to_json(DeviceState const& state) {
  Json json = {{"name", state.entry.name},
               {"address", state.entry.address},
               {"encrypted", !state.entry.certificate_file.empty()},
               {"reachable", state.hardware.has_value()}};
  if (state.entry.timeout_seconds > 0) json["timeout_s"] = state.entry.timeout_seconds;
  if (state.failure) json["failure"] = to_sentence(*state.failure);
  if (state.hardware) {
    json["connect_ms"] = state.connect_ms;
    json["answer_ms"] = state.answer_ms;
    if (state.status)
      json["status"] = {{"clock_ahead_s", state.clock_ahead_seconds},
                        {"clock_within_s", state.clock_within_seconds},
                        {"uptime_s", state.status->uptime_seconds},
                        {"load", state.status->load},
                        {"not_stopped", state.status->open_ways}};
    json["hardware"] = {{"name", state.hardware->name},
                        {"target", state.hardware->target},
                        {"code", state.hardware->code},
                        {"cores", state.hardware->unit().count},
                        {"memory_bytes", state.hardware->main_memory_bytes()}};
  }
  if (state.roofs) {
    MainRoof roof = main_roof(*state.roofs);
    std::string key = roof.type + (roof.unit == "GFLOP/s" ? "_gflops" : "_gops");
    json["roofs"] = {{key, rate_json(roof.rate)},
                     {"memory_gb_per_second", rate_json(state.roofs->memory.back().load)}};
  }
  return json;
}

/// Whoever reads it may run code on the device.
void warn_of_token(DeviceEntry const& entry) {
  std::string why = entry.token_file.empty() ? "" : open_to_others(entry.token_file);
  if (!why.empty()) fmt::print(stderr, "tw: {}\n", plain(why));
}

void print_text(DeviceState const& state) {
  std::string where = state.entry.address.empty() ? "this machine" : state.entry.address;
  if (!state.hardware) {
    fmt::print("{:<16} {:<24} {}\n", plain(state.entry.name), plain(where),
               plain(to_sentence(*state.failure)));
    return;
  }
  fmt::print("{:<16} {:<24} {}, answers in {}\n", plain(state.entry.name), plain(where),
             plain(machine_text(*state.hardware)), milliseconds_text(state.answer_ms));
  if (state.roofs)
    fmt::print("{:42}{}\n", "", roofs_text(*state.roofs));
  else if (state.has_roofs)
    fmt::print("{:42}roofs not measured: run tw roofline --device {}\n", "",
               plain(state.entry.name));
  if (!state.status) return;
  for (std::string const& way : state.status->open_ways)
    fmt::print("{:42}the sandbox does not block: {}\n", "", way);
}

int list(Context const& context) {
  auto entries = read_devices(context.devices_file);
  if (!entries) return report(context, entries.error());
  Json rows = Json::array();
  for (DeviceState const& state : ask_devices(*entries, {context.cache_folder})) {
    rows.push_back(to_json(state));
    warn_of_token(state.entry);
    if (!context.json) print_text(state);
  }
  if (context.json) print(rows);
  return 0;
}

int add(Context const& context, DeviceEntry entry) {
  if (Status added = add_checked_device(context.devices_file, entry); !added)
    return report(context, added.error());
  warn_of_token(entry);
  DeviceState state = ask_device(entry, {context.cache_folder});
  if (context.json)
    print(to_json(state));
  else
    print_text(state);
  return 0;
}

int remove(Context const& context, std::string const& name) {
  if (Status removed = remove_device(context.devices_file, name); !removed)
    return report(context, removed.error());
  if (!context.json) fmt::print("{} removed\n", name);
  if (context.json) print({{"removed", name}});
  return 0;
}

void add_list_commands(Command app, Context& context) {
  auto devices = app.add_subcommand(
      "devices", "list, add and remove machines that run kernels besides this one");
  devices.require_subcommand(1);
  auto entry = std::make_shared<DeviceEntry>();
  auto adding = devices.add_subcommand("add", "add a machine that runs `tw device serve`");
  adding.add_option("NAME", entry->name, "a name for it, for --device").required();
  adding.add_option("ADDRESS", entry->address, "HOST:PORT").required();
  adding
      .add_option("--ca", entry->certificate_file,
                  "the device's certificate, or the one that signed it")
      .type_name("F.pem");
  adding.add_option("--token-file", entry->token_file, "the file with the device's token")
      .type_name("F");
  adding
      .add_option("--timeout", entry->timeout_seconds,
                  "the shortest time limit of a call, for slow machines (default: up to 180, "
                  "depending on the call)")
      .type_name("SECONDS")
      .range(0.0, 86400.0);
  adding.callback(
      [&context, entry] { context.run = [&context, entry] { return add(context, *entry); }; });
  auto removing = devices.add_subcommand("remove", "remove a machine from the list");
  removing.add_option("NAME", entry->name, "its name in the list").required();
  removing.callback([&context, entry] {
    context.run = [&context, entry] { return remove(context, entry->name); };
  });
  devices
      .add_subcommand("list", "list the machines: whether each answers, its hardware and its roofs")
      .callback([&context] { context.run = [&context] { return list(context); }; });
}

void add_devices(Command app, Context& context) {
  add_list_commands(app, context);
  auto device = app.add_subcommand("device", "let other machines run kernels on this one");
  device.require_subcommand(1);
  add_certificate(device, context);
  add_tokens(device, context);
  // Never parsed: main becomes tw-device before.
  device.add_subcommand("serve", "serve until stopped; see tw device serve --help");
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 140, .add = add_devices};
  return row;
}

}  // namespace tw::cli::command_devices

namespace tw::cli {

int serve_device(Context const& context, char** words) {
  std::string program = program_beside("tw-device").string();
  std::vector<char*> arguments{program.data()};
  for (char** word = words; *word != nullptr; ++word) arguments.push_back(*word);
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return report(context, Error{"device_unavailable",
                               program + " cannot be started: " + std::strerror(errno),
                               {},
                               Fault::kEnvironment});
}

}  // namespace tw::cli
