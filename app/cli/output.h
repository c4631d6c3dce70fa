/// What every command of `tw` shares: its environment, and how results and errors leave it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "app/cli/options.h"
#include "engine/device/device.h"
#include "engine/session/cases/export_cases.h"
#include "engine/session/use_cases.h"
#include "engine/support/base/job.h"

namespace tw {
class Backend;
class MacroSet;
}  // namespace tw

namespace tw::cli {

using Json = nlohmann::ordered_json;

/// What several searches that go on at once print on.
struct SharedTerminal {
  std::recursive_mutex turn;
  std::map<std::string, std::string> progress;  ///< of each, what it is at
};

/// Set while options are read, used by the command that was named.
struct Context {
  bool json = false;
  std::vector<std::string> fixes;         ///< NAME=SHAPE
  std::vector<std::string> arrangements;  ///< KNOB=VALUE
  std::vector<std::string> sizes;         ///< NAME=VALUE
  int threads = 0;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<Backend const> helper;  ///< of an accelerator that takes kernels over; null: none
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::filesystem::path cache_folder;
  session::ExportKit exports;
  std::filesystem::path devices_file;
  std::string standard_input;                ///< the file that it was read into; empty: none
  std::string own_macros;                    ///< a further folder of them; empty: none
  std::shared_ptr<MacroSet const> macros;    ///< what scripts may use besides primitives
  std::string store;                         ///< of trials: a file, or a server's URL
  std::string device;                        ///< that was asked for; empty: this machine
  std::string kind;                          ///< of several searches at once: which one this is of
  std::shared_ptr<SharedTerminal> terminal;  ///< null: nobody else prints
  bool needs_target = true;  ///< false: the chosen command does without a backend and a device
  std::function<int()> run;  ///< the chosen command; returns the exit code
};

/// Prints the error to standard error, as a sentence or as JSON; returns its exit code.
int report(Context const& context, Error const& error);
int exit_code(Fault fault);
void print(Json const& json);
/// In one line; of a search beside others with its name, as "kind".
void print_line(Context const& context, Json json);
/// While it lives nobody else prints.
std::unique_lock<std::recursive_mutex> turn_to_print(Context const& context);

Json to_json(Error const& error);
/// "--shape data=1x3x224x224", "--graph-option channel_block=8", "--size n=17" of every command
/// that takes a model.
void add_model_options(Command command, Context& context, std::string& path);
/// "--device NAME" of every command that runs something.
void add_device_option(Command command, Context& context);
/// "--store FILE|URL" of every command that keeps trials or reads them.
void add_store_option(Command command, Context& context);
/// "--threads N" of every command that runs something.
void add_threads_option(Command command, Context& context);
Result<session::LoadOptions> load_options(Context const& context);
/// Of what --size says. Errors: bad_size, repeated_size.
Result<std::map<std::string, int64_t>> sizes_of(Context const& context);
Result<session::Model> load(Context const& context, std::string const& path);
/// The same, or a project with its schedules; says on standard error where its model was found, if
/// that is not where it was.
Result<session::ShapedModel> load_shaped(
    Context const& context, std::string const& path,
    session::ProjectSchedules schedules = session::ProjectSchedules::kKept);
/// The options of `load_shaped`: MODEL, --shape, --graph-option, and --default, which leaves a
/// project's schedules alone.
void add_shaped_options(Command command, Context& context, std::string& path, bool& by_default);

/// How far a command is, in one line that replaces itself; where standard error is no terminal, and
/// with --json, nothing.
Progress progress_of(Context const& context);
/// Takes that line away.
void end_progress(Context const& context);

/// Whether others use the device's processors now: what is timed then takes longer than alone.
bool is_disturbed(Context const& context, Device& device);
/// Of times that were printed; nothing with --json.
void say_disturbed(Context const& context, bool disturbed);

/// Raw little-endian elements of exactly the tensor's size. Errors: wrong_size, those of the file.
Result<NDArray> read_raw(std::string const& file, session::ModelTensor const& info);

/// One file of `commands/` defines one, as `CommandRow const& command_FILE()`; the build writes the
/// table.
struct CommandRow {
  int place = 0;  ///< in the list of commands; those of a lower number come first
  /// Declares the command with its options and sets `context.run`.
  void (*add)(Command app, Context& context) = nullptr;
};
std::span<CommandRow const* const> command_table();

// Commands below `tw device`.
void add_certificate(Command device, Context& context);
void add_tokens(Command device, Context& context);
/// Becomes tw-device, whose options are its own; `words`: "serve" and what follows, then null.
int serve_device(Context const& context, char** words);

}  // namespace tw::cli
