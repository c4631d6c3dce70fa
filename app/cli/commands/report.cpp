#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/cli/output.h"
#include "app/shared/devices.h"
#include "app/shared/report/report.h"
#include "engine/schedule/trace.h"
#include "engine/session/facts/facts.h"
#include "engine/session/project/project.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_report {
namespace {

struct Arguments {
  std::string model, kernel, script, project, out;
};

constexpr double kPatience = 3600;  // seconds: a model's kernels are measured one after the other

/// The same session that a window has: its numbers are the window's.
session::Options options_of(Context const& context) {
  return {.backend = context.backend,
          .cache_folder = context.cache_folder.string(),
          .threads = context.threads,
          .open_device = [devices = context.devices_file.string()](
                             std::string const& name,
                             StopToken stop) { return choose_device(devices, name, stop, {}); },
          .macros = context.macros};
}

class Reporter {
public:
  Reporter(Context const& context, Arguments const& arguments, session::Session& session)
      : context_(context), arguments_(arguments), session_(session) {}

  Result<std::string> page() {
    if (!context_.device.empty()) TRY(run(session::UseDevice{context_.device}));
    TRY(open());
    bool of_kernel = !arguments_.kernel.empty() || !arguments_.script.empty();
    if (of_kernel)
      TRY(shape());
    else
      TRY(run(session::MeasureModel{}));
    return text_of(of_kernel ? report::What::kKernel : report::What::kModel);
  }

private:
  /// Carried out, with what follows from it.
  Status run(session::Command const& command) {
    TRY(session_.execute(command));
    if (!session_.wait_idle(kPatience))
      return environment_failed("still_busy", "this took longer than an hour");
    session::Snapshot now = session_.snapshot();
    if (now.error) return bad_input(now.error->code, now.error->sentence);
    if (now.refusal)
      return refused("step_refused", now.refusal->step + ": " + now.refusal->message);
    return {};
  }

  Status open() {
    std::string project = arguments_.project;
    if (project.empty() && arguments_.model.ends_with(".twproj")) project = arguments_.model;
    if (!project.empty()) return open_project(project);
    if (arguments_.model.empty())
      return bad_input("no_model", "a report needs a model, or a project with --project");
    if (!arguments_.model.starts_with("sample:")) return run(session::OpenModel{arguments_.model});
    return run(session::OpenSample{arguments_.model.substr(7)});
  }

  Status open_project(std::string const& file) {
    TRY_ASSIGN(session::Project project, session::open_project(file));
    session::FoundModel found = session::or_own_copy(session::find_model(project, file), project,
                                                     context_.cache_folder / "embedded");
    if (found.state == session::FoundModel::State::kMissing)
      return bad_input("model_missing", found.sentence);
    project.model.source = found.source;
    TRY(session_.restore(session::to_text(project)));
    if (!session_.wait_idle(kPatience) || !session_.snapshot().model) {
      auto error = session_.snapshot().error;
      return bad_input("model_not_opened", error ? error->sentence : "the model was not opened");
    }
    return {};
  }

  /// The kernel that was asked for, under the script: each of its steps is measured.
  Status shape() {
    TRY_ASSIGN(Script script, script_asked());
    TRY(choose(arguments_.kernel.empty() ? script.kernel : arguments_.kernel));
    if (arguments_.script == "default") return run(session::JumpTo{default_step()});
    if (!arguments_.script.empty()) TRY(run(session::JumpTo{0}));
    for (auto const& [line, step] : script.steps) TRY(run(session::ApplyStep{to_text(step)}));
    return {};
  }

  Result<Script> script_asked() const {
    std::string const& file = arguments_.script;
    if (file.empty() || file == "default" || file == "plain") return Script();
    TRY_ASSIGN(std::string text, read_text(file, 1 << 20));
    return parse_script(text, file, false, context_.macros.get());
  }

  Status choose(std::string const& kernel) {
    session::Snapshot now = session_.snapshot();
    if (kernel.empty()) return run(session::SelectKernel{0});
    int row = session::row_called(now, kernel);
    if (row < 0) return bad_input("unknown_kernel", "there is no kernel '" + kernel + "'");
    return run(session::SelectKernel{row});
  }

  /// Where the schedule by rule ends.
  int default_step() const {
    session::Snapshot now = session_.snapshot();
    int last = 0;
    for (session::HistoryNodeView const& node : now.history->nodes)
      if (node.label == "default") last = std::max(last, node.id);
    return last;
  }

  /// Code is generated beside the session's jobs: it is waited for.
  Result<std::string> text_of(report::What what) {
    for (auto begin = std::chrono::steady_clock::now();;) {
      TRY_ASSIGN(auto contents, report::gather(what, session_));
      if (contents) return report::to_html(*contents);
      if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(10))
        return environment_failed("still_busy", "the kernel's code took longer than ten minutes");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  Context const& context_;
  Arguments const& arguments_;
  session::Session& session_;
};

int write_report(Context const& context, Arguments const& arguments) {
  auto session = session::Session::create(options_of(context));
  if (!session) return report(context, session.error());
  auto page = Reporter(context, arguments, **session).page();
  if (!page) return report(context, page.error());
  if (Status written = write_output(arguments.out, *page); !written)
    return report(context, written.error());
  if (context.json)
    print({{"report", arguments.out}, {"bytes", page->size()}});
  else
    fmt::print("{}: {}\n", arguments.out, bytes_text(double(page->size())));
  return 0;
}

void add_report(Command app, Context& context) {
  auto command =
      app.add_subcommand("report",
                         "write one HTML file about a model, or with --kernel or --script about a "
                         "kernel: times, steps, loops, rooflines, code");
  auto arguments = std::make_shared<Arguments>();
  command.add_option("MODEL", arguments->model,
                     "an ONNX file, a .te file, sample:NAME or a project");
  command
      .add_option("--kernel", arguments->kernel,
                  "the kernel's name or number (default: the one that the script names)")
      .type_name("KERNEL");
  command
      .add_option("--script", arguments->script,
                  "its schedule: a script, or 'plain', or 'default' (default: its current state)")
      .type_name("F.tws");
  command.add_option("--project", arguments->project, "a project with the histories of its kernels")
      .type_name("F.twproj");
  command.add_option("--out", arguments->out, "the file that is written")
      .type_name("FILE.html")
      .required();
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return write_report(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 125, .add = add_report};
  return row;
}

}  // namespace tw::cli::command_report
