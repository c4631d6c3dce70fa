#include <chrono>
#include <ctime>

#include "app/shared/report/report.h"
#include "app/shared/version.h"

namespace tw::report {
namespace {

std::string date_of_now() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

/// The program, what the passes make of it, and the target's last listing: its assembly.
std::vector<std::string> stages_of(session::Snapshot const& now) {
  std::string program, pass, listing;
  if (now.code_stages)
    for (session::CodeStage const& stage : *now.code_stages) {
      if (stage.kind == session::CodeKind::kProgram) program = stage.key;
      if (stage.kind == session::CodeKind::kPass) pass = stage.key;
      if (stage.kind == session::CodeKind::kListing) listing = stage.key;
    }
  std::vector<std::string> keys;
  for (std::string const& key : {program, pass, listing})
    if (!key.empty()) keys.push_back(key);
  return keys;
}

/// Of targets whose code goes through LLVM.
std::string compiler_of(session::Snapshot const& now) {
  if (now.code_stages)
    for (session::CodeStage const& stage : *now.code_stages)
      if (stage.key == "llvm") return "LLVM " TW_LLVM_VERSION;
  return {};
}

}  // namespace

Result<std::optional<Contents>> gather(What what, session::Session& session) {
  Contents contents;
  contents.what = what;
  contents.now = session.snapshot();
  if (!contents.now.model) return bad_input("no_model", "no model is open");
  bool of_kernel = what == What::kKernel;
  if (of_kernel && !contents.now.history) return bad_input("no_kernel", "no kernel is selected");
  if (of_kernel) {
    contents.script = session.script();
    for (std::string const& stage : stages_of(contents.now)) {
      auto text = session.code(stage, false);
      if (!text) return std::nullopt;
      contents.code.push_back(std::move(text));
    }
  } else if (contents.now.machine && contents.now.machine->rates) {
    contents.layers = session.layers_roofline();
    if (!contents.layers) return std::nullopt;
  }
  contents.version = version_line("Tilewright");
  contents.compiler = compiler_of(contents.now);
  contents.date = date_of_now();
  return contents;
}

}  // namespace tw::report
