#include "app/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "app/cli/plain_text.h"
#include "engine/measure/roofs.h"
#include "engine/support/error_table.h"
#include "engine/support/files.h"

namespace tw::cli {

int exit_code(Fault fault) {
  switch (fault) {
    case Fault::kRefused:
      return 1;
    case Fault::kBadInput:
      return 2;
    default:
      return 3;
  }
}

Json to_json(Error const& error) {
  Json place = Json::object();
  if (!error.place.file.empty()) place["file"] = error.place.file;
  if (error.place.line > 0) place["line"] = error.place.line;
  if (error.place.column > 0) place["column"] = error.place.column;
  if (!error.place.node.empty()) place["node"] = error.place.node;
  Json json = {{"code", error.code}, {"message", error.message}, {"place", place}};
  if (std::string remedy = remedy_of(error.code); !remedy.empty()) json["remedy"] = remedy;
  return {{"error", json}};
}

int report(Context const& context, Error const& of) {
  Error error = of;
  if (!context.standard_input.empty() && error.place.file == context.standard_input)
    error.place.file = "standard input";
  std::string text = context.json
                         ? to_json(error).dump(-1, ' ', false, Json::error_handler_t::replace)
                         : "tw: " + plain_lines(to_sentence(error));
  std::fputs((text + "\n").c_str(), stderr);  // throws nothing where nothing can be written
  return exit_code(error.fault);
}

void print(Json const& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_line(Context const& context, Json json) {
  if (!context.kind.empty()) json["kind"] = context.kind;
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::fflush(stdout);
}

std::unique_lock<std::recursive_mutex> turn_to_print(Context const& context) {
  if (!context.terminal) return {};
  return std::unique_lock(context.terminal->turn);
}

void add_model_options(Command command, Context& context, std::string& path) {
  command.add_option("MODEL", path, "an ONNX file, a .te file, or sample:NAME").required();
  command
      .add_option(
          "--shape", context.fixes,
          "set an input's shape: NAME=1x3x224x224; or a named extent in every input: batch=1")
      .type_name("NAME=SHAPE")
      .repeatable();
  command
      .add_option("--graph-option", context.arrangements,
                  "a layout or algorithm other than the target's default: channel_block=plain, "
                  "NODE.algorithm=im2col; `tw tune MODEL --knobs` lists what there is")
      .type_name("KNOB=VALUE")
      .repeatable();
  command
      .add_option("--size", context.sizes,
                  "sample value of a symbolic size, of the tensor expression or the script: n=17")
      .type_name("NAME=VALUE")
      .repeatable();
}

void add_shaped_options(Command command, Context& context, std::string& path, bool& by_default) {
  add_model_options(command, context, path);
  command.get_option("MODEL").description(
      "an ONNX file, a .te file, sample:NAME, or a project (.twproj) with its schedules");
  command.add_flag("--default", by_default,
                   "use the target's default schedules, even where a project has others");
}

void add_device_option(Command command, Context& context) {
  command
      .add_option("--device", context.device,
                  "where to run: a name from `tw devices list`, or local:TARGET for another "
                  "target of this machine (default: this machine)")
      .type_name("NAME");
}

void add_store_option(Command command, Context& context) {
  command
      .add_option("--store", context.store,
                  "tuning records: a file (default: trials.sqlite in the user's data), or "
                  "postgresql://USER@HOST/DATABASE, which a team shares")
      .type_name("FILE|URL");
}

void add_threads_option(Command command, Context& context) {
  command
      .add_option("--threads", context.threads,
                  "number of threads that run a kernel (default: 0, one per core)")
      .type_name("N")
      .range(0, 1024);
}

Result<session::LoadOptions> load_options(Context const& context) {
  session::LoadOptions options;
  options.helper = context.helper.get();
  for (std::string const& fix : context.fixes) {
    size_t equals = fix.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return bad_input(
          "bad_fix",
          fmt::format("--shape takes NAME=SHAPE, as in data=1x3x224x224, not '{}'", fix));
    std::string name = fix.substr(0, equals);
    if (options.fixes.contains(name))
      return bad_input("repeated_fix", fmt::format("--shape gives '{}' twice", name));
    TRY_ASSIGN(options.fixes[name], parse_shape(fix.substr(equals + 1)));
  }
  for (std::string const& one : context.arrangements) {
    size_t equals = one.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
      return bad_input(
          "bad_arrangement",
          fmt::format("--graph-option takes KNOB=VALUE, as in channel_block=8, not '{}'", one));
    options.arrangement[one.substr(0, equals)] = one.substr(equals + 1);
  }
  TRY_ASSIGN(options.sizes, sizes_of(context));
  return options;
}

Result<std::map<std::string, int64_t>> sizes_of(Context const& context) {
  std::map<std::string, int64_t> sizes;
  for (std::string const& one : context.sizes) {
    size_t equals = one.find('=');
    int64_t value = 0;
    char const* end = one.data() + one.size();
    bool named = equals != std::string::npos && equals > 0;
    auto read = named ? std::from_chars(one.data() + equals + 1, end, value)
                      : std::from_chars_result{one.data(), std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr != end)
      return bad_input("bad_size",
                       fmt::format("--size takes NAME=VALUE, as in n=17, not '{}'", one));
    if (!sizes.emplace(one.substr(0, equals), value).second)
      return bad_input("repeated_size",
                       fmt::format("--size gives '{}' twice", one.substr(0, equals)));
  }
  return sizes;
}

Result<session::Model> load(Context const& context, std::string const& path) {
  TRY_ASSIGN(session::LoadOptions options, load_options(context));
  return session::load_model(path, options, *context.backend);
}

Result<session::ShapedModel> load_shaped(Context const& context, std::string const& path,
                                         session::ProjectSchedules schedules) {
  TRY_ASSIGN(session::LoadOptions options, load_options(context));
  TRY_ASSIGN(session::ShapedModel model,
             session::shaped_model(path, options, *context.backend,
                                   context.cache_folder / "embedded", schedules));
  if (!model.sentence.empty()) fmt::print(stderr, "tw: {}\n", model.sentence);
  return model;
}

namespace {

bool shows_progress(Context const& context) {
  return !context.json && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Progress progress_of(Context const& context) {
  if (!shows_progress(context)) return {};
  return [context](ProgressReport const& at) {
    std::string count = at.total > 0 ? fmt::format(" ({} of {})", at.done, at.total) : "";
    std::string text = at.what + count;
    auto turn = turn_to_print(context);
    if (context.terminal) {
      context.terminal->progress[context.kind] = text;
      text.clear();
      for (auto const& [kind, what] : context.terminal->progress)
        text += fmt::format("{}{}: {}", text.empty() ? "" : " · ", kind, what);
    }
    fmt::print(stderr, "\r\x1b[K{}", text);
    std::fflush(stderr);
  };
}

void end_progress(Context const& context) {
  if (shows_progress(context)) fmt::print(stderr, "\r\x1b[K");
}

bool is_disturbed(Context const& context, Device& device) {
  return others_run(device, context.backend->target().hardware, {});
}

void say_disturbed(Context const& context, bool disturbed) {
  if (disturbed && !context.json)
    fmt::print(
        "other programs use the processors: these times are longer than on an idle machine\n");
}

Result<NDArray> read_raw(std::string const& file, session::ModelTensor const& info) {
  TRY_ASSIGN(NDArray array, NDArray::create(info.type, info.shape));
  TRY_ASSIGN(std::string bytes, read_file(file));
  if (int64_t(bytes.size()) != array.byte_size())
    return bad_input("wrong_size",
                     fmt::format("has {} bytes, but {} ({} {}) needs {}", bytes.size(), info.name,
                                 to_text(info.type), to_text(info.shape), array.byte_size()),
                     Place{file, 0, 0, {}});
  std::memcpy(array.data(), bytes.data(), bytes.size());
  return array;
}

}  // namespace tw::cli
