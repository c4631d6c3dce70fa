#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/session/project/project.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_project {
namespace {

using session::FoundModel;
using session::Project;

char const* state_name(FoundModel::State state) {
  constexpr char const* kNames[] = {"found", "moved", "changed", "missing", "copied"};
  return kNames[size_t(state)];
}

Json files_json(session::ProjectModel const& model) {
  Json files = Json::array();
  for (auto const& file : model.files)
    files.push_back({{"name", file.name}, {"sha256", file.sha256}, {"bytes", file.bytes}});
  return files;
}

void show_json(Project const& project, FoundModel const& model) {
  Json kernels = Json::array();
  for (auto const& kernel : session::summary_of(project)) {
    Json times = Json::array();
    for (auto const& one : kernel.times)
      times.push_back({{"device", one.device},
                       {"machine", one.machine},
                       {"plain_ms", one.plain_ms},
                       {"best_ms", one.best_ms}});
    kernels.push_back({{"name", kernel.name},
                       {"steps", kernel.steps},
                       {"times", times},
                       {"notes", kernel.notes}});
  }
  Json devices = Json::array();
  for (auto const& device : project.devices)
    devices.push_back({{"name", device.name}, {"target", device.target}});
  Json on_kinds = Json::array();
  for (auto const& one : project.on_kinds)
    on_kinds.push_back({{"kernel", one.kernel},
                        {"machine", one.machine},
                        {"script", one.script},
                        {"device", one.device},
                        {"ms", one.ms}});
  print({{"model",
          {{"source", project.model.source},
           {"sha256", project.model.sha256},
           {"bytes", project.model.bytes},
           {"files", files_json(project.model)},
           {"embedded", project.model.embedded()},
           {"state", state_name(model.state)},
           {"now_at", model.source},
           {"sentence", model.sentence}}},
         {"kernel", project.kernel},
         {"kernels", kernels},
         {"own_kernels", project.own_kernels.size()},
         {"devices", devices},
         {"on_kinds", on_kinds},
         {"saved", project.saved},
         {"written_by", project.written_by}});
}

void show_files(session::ProjectModel const& model) {
  size_t packed = model.packed.size();
  for (auto const& file : model.files) {
    fmt::print("weights  {}, {}, SHA-256 {}\n", file.name, bytes_text(double(file.bytes)),
               file.sha256);
    packed += file.packed.size();
  }
  if (model.embedded())
    fmt::print("copy     the project contains the model, {} compressed\n",
               bytes_text(double(packed)));
}

std::string times_text(session::ProjectKernelSummary::Times const& times) {
  std::string text = milliseconds_text(times.best_ms);
  if (times.plain_ms > 0) text += ", plain " + milliseconds_text(times.plain_ms);
  if (times.device.empty()) return text;
  return text + fmt::format(", on {} ({})", times.device, times.machine);
}

/// A built-in model or a kernel of the project's own is in no file.
void show_model(Project const& project, FoundModel const& model) {
  if (project.model.source.empty()) return fmt::print("model    none\n");
  fmt::print("model    {}\n", project.model.name());
  if (!project.model.sha256.empty())
    fmt::print("         {}, SHA-256 {}\n", bytes_text(double(project.model.bytes)),
               project.model.sha256);
  show_files(project.model);
  if (!model.sentence.empty()) {
    fmt::print("         {}\n", model.sentence);
  } else if (project.model.is_file()) {
    fmt::print("         it is still at: {}\n", model.source);
  }
}

void show_words(Project const& project, FoundModel const& model) {
  show_model(project, model);
  for (auto const& device : project.devices)
    fmt::print("device   {}, {}\n", device.name, device.target);
  fmt::print("saved    {}, by {}\n", project.saved.empty() ? "-" : project.saved,
             project.written_by.empty() ? "-" : project.written_by);
  for (auto const& kernel : session::summary_of(project)) {
    fmt::print("kernel   {:<32} {:>9}{}{}\n", kernel.name, count_text(kernel.steps, "step"),
               kernel.times.empty() ? "   not measured" : "",
               kernel.name == project.kernel ? "   (chosen)" : "");
    for (auto const& one : kernel.times) fmt::print("         {}\n", times_text(one));
    for (std::string const& note : kernel.notes) fmt::print("         note: {}\n", note);
  }
  for (auto const& one : project.on_kinds)
    fmt::print("stands   {} on {}{}\n", one.kernel, one.machine,
               one.ms > 0 ? ": " + milliseconds_text(one.ms) : "");
  if (!project.own_kernels.empty())
    fmt::print("own      {} added by the user\n",
               count_text(int64_t(project.own_kernels.size()), "kernel"));
}

/// A model that is missing or has changed is what one asked to be told: exit code 1.
int show(Context const& context, std::string const& file) {
  auto project = session::open_project(file);
  if (!project) return report(context, project.error());
  FoundModel model = session::find_model(*project, file);
  if (context.json)
    show_json(*project, model);
  else
    show_words(*project, model);
  bool there = model.state == FoundModel::State::kFound ||
               model.state == FoundModel::State::kMoved || project->model.embedded();
  return there ? 0 : exit_code(Fault::kRefused);
}

void add_project(Command app, Context& context) {
  auto command = app.add_subcommand("project", "show what a saved project contains");
  command.require_subcommand(1);
  auto shown = command.add_subcommand(
      "show", "its model and whether that file is still there, its kernels, times and notes");
  auto file = std::make_shared<std::string>();
  shown.add_option("FILE", *file, "a project (.twproj)").required();
  shown.callback(
      [file, &context] { context.run = [file, &context] { return show(context, *file); }; });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 150, .add = add_project};
  return row;
}

}  // namespace tw::cli::command_project
