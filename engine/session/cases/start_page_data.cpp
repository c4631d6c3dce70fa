// What the start page tells of samples, and where that is kept.
#include "engine/session/start_page_data.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "engine/backend/backend.h"
#include "engine/compile/modelled_time.h"
#include "engine/measure/roofs.h"
#include "engine/session/kinds.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"

namespace tw::session {
namespace {

constexpr char kHeader[] = "tilewright sample story 1";
constexpr size_t kMostLoops = 64;

constexpr char kProduct[] =
    R"(tilewright te 1
# A matrix product. Try: tile(C.i, C.j), then vectorize the inner loop of j.
kernel matmul_1024(A: f32[1024, 1024], B: f32[1024, 1024]) -> C
  C[i in 1024, j in 1024] = sum[k in 1024] A[i, k] * B[k, j]
)";

int row_with_most_arithmetic(LoadedModel const& model) {
  int best = -1;
  auto work = [&](int row) {
    KernelTask const& task = model.kernel(row);
    return std::pair(double(task.flops) * task.count, double(task.bytes) * task.count);
  };
  for (int row = 0; row < int(model.plan.kernels.size()); ++row)
    if (best < 0 || work(row) > work(best)) best = row;
  return best;
}

std::vector<SummaryLoop> loops_of(NestView const& nest) {
  std::map<int, double> iterations;
  for (LoopBar const& bar : nest.bars)
    iterations.try_emplace(bar.stage, 1).first->second *= double(bar.extent);
  auto most = std::ranges::max_element(iterations, {}, [](auto const& one) { return one.second; });
  std::vector<SummaryLoop> loops;
  if (most == iterations.end()) return loops;
  for (LoopBar const& bar : nest.bars)
    if (bar.stage == most->first && loops.size() < kMostLoops)
      loops.push_back({bar.hue, bar.level, bar.extent});
  return loops;
}

/// Of all calls of all kernels; empty where one of them has no modelled time.
std::optional<double> modelled_ms(LoadedModel const& model, Backend const& backend,
                                  Roofs const& roofs, StopToken const& stop) {
  double total = 0;
  for (int row = 0; row < int(model.plan.kernels.size()); ++row) {
    if (stop.stop_requested()) return {};
    auto plain = plain_program(model, row);
    if (!plain) return {};
    auto schedule = backend.default_schedule(*plain);
    if (!schedule) return {};
    auto time = modelled_time(schedule->program(), backend, roofs);
    if (!time || !std::isfinite(time->seconds)) return {};
    total += time->seconds * 1e3 * model.kernel(row).count;
  }
  return total;
}

std::optional<KernelEstimate> promise_of(KernelTask const& task, ir::Program const& plain,
                                         ir::Program const& by_rule, Backend const& backend,
                                         Roofs const& roofs) {
  auto before = modelled_time(plain, backend, roofs),
       after = modelled_time(by_rule, backend, roofs);
  if (!before || !after) return {};
  return KernelEstimate{double(task.flops), double(task.bytes), before->seconds * 1e3,
                        after->seconds * 1e3};
}

std::string text_of(SampleSummary const& story) {
  std::string text = fmt::format("{}\noperators {}\nkernels {}\nkernel {}\n", kHeader,
                                 story.operators, story.kernels, story.kernel);
  for (SummaryLoop const& loop : story.loops)
    text += fmt::format("loop {} {} {}\n", loop.hue, loop.level, loop.extent);
  if (story.model_ms) text += fmt::format("modelled {}\n", *story.model_ms);
  if (story.measured_ms) text += fmt::format("measured {}\n", *story.measured_ms);
  if (auto const& promise = story.promise)
    text += fmt::format("promise {} {} {} {}\n", promise->flops, promise->bytes, promise->plain_ms,
                        promise->rule_ms);
  return text;
}

bool is_usable(std::optional<KernelEstimate> const& promise) {
  if (!promise) return true;
  return std::ranges::all_of(
      std::array{promise->flops, promise->bytes, promise->plain_ms, promise->rule_ms},
      [](double one) { return one > 0 && one < 1e18; });
}

/// Whoever else may have written the file: what does not fit in a card is no story.
bool is_usable(SampleSummary const& story) {
  auto time = [](std::optional<double> const& ms) { return !ms || (*ms > 0 && *ms < 1e9); };
  return story.kernels > 0 && story.operators >= 0 && !story.kernel.empty() &&
         story.loops.size() <= kMostLoops && time(story.model_ms) && time(story.measured_ms) &&
         is_usable(story.promise) && std::ranges::all_of(story.loops, [](SummaryLoop const& loop) {
           return loop.hue >= 0 && loop.level >= 0 && loop.level < 16 && loop.extent > 0;
         });
}

std::optional<SampleSummary> parsed(std::string const& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHeader) return {};
  SampleSummary story;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "operators") words >> story.operators;
    if (key == "kernels") words >> story.kernels;
    if (key == "kernel") words >> story.kernel;
    if (key == "modelled") words >> story.model_ms.emplace();
    if (key == "measured") words >> story.measured_ms.emplace();
    if (key == "promise") {
      KernelEstimate& promise = story.promise.emplace();
      words >> promise.flops >> promise.bytes >> promise.plain_ms >> promise.rule_ms;
    }
    if (key == "loop") {
      SummaryLoop& loop = story.loops.emplace_back();
      words >> loop.hue >> loop.level >> loop.extent;
    }
    if (words.fail()) return {};
  }
  return is_usable(story) ? std::optional(story) : std::nullopt;
}

}  // namespace

std::vector<StartSample> start_samples() {
  std::vector<StartSample> list;
  for (SampleInfo const& one : sample_list())
    list.push_back({one.name, one.title, one.description, "sample:" + one.name});
  list.push_back(
      {"matmul_1024", "One matrix product", "1024 x 1024 x 1024", std::string("te:") + kProduct});
  return list;
}

StartPageData::StartPageData(std::shared_ptr<Backend const> backend,
                             std::filesystem::path cache_folder, std::string build)
    : backend_(std::move(backend)),
      cache_folder_(std::move(cache_folder)),
      build_(std::move(build)) {}

std::filesystem::path StartPageData::file_of(std::string const& source) const {
  std::string all = kind_text(backend_->target().hardware) + "\n" + build_ + "\n" + source;
  return cache_folder_ / "samples" / (sha256(all).substr(0, 32) + ".txt");
}

std::optional<SampleSummary> StartPageData::kept(std::string const& source) const {
  std::lock_guard lock(mutex_);
  auto text = read_text(file_of(source), 1 << 16);
  return text ? parsed(*text) : std::nullopt;
}

Status StartPageData::keep(std::string const& source, SampleSummary const& story) const {
  std::lock_guard lock(mutex_);
  TRY(make_folder(cache_folder_ / "samples"));
  return write_file(file_of(source), text_of(story), Durability::kFast);
}

Result<SampleSummary> StartPageData::story(std::string const& source, MachineView const* machine,
                                           StopToken stop) const {
  TRY_ASSIGN(Model model, load_model(source, {}, *backend_, stop));
  int row = row_with_most_arithmetic(*model);
  if (row < 0) return bad_input("no_kernels", "the sample has no kernels");
  TRY_ASSIGN(ir::Program plain, plain_program(*model, row));
  TRY_ASSIGN(Schedule schedule, backend_->default_schedule(plain));
  SampleSummary story;
  story.operators = model->is_expression ? 0 : model_view(*model).operators;
  story.kernels = int(model->plan.kernels.size());
  story.kernel = model->kernel(row).name;
  story.loops = loops_of(nest_view(schedule.program(), {}, *backend_));
  if (machine && machine->rates) {
    story.model_ms = modelled_ms(*model, *backend_, *machine->rates, stop);
    story.promise =
        promise_of(model->kernel(row), plain, schedule.program(), *backend_, *machine->rates);
  }
  if (stop.stop_requested()) return refused("cancelled", "the sample's story was cancelled");
  if (auto old = kept(source)) story.measured_ms = old->measured_ms;
  // What cannot be kept is made again at the next start.
  (void)keep(source, story);
  return story;
}

Status StartPageData::keep_time(std::string const& source, double milliseconds) const {
  auto story = kept(source);
  if (!story) {
    TRY_ASSIGN(story, this->story(source, nullptr));
  }
  story->measured_ms = milliseconds;
  return keep(source, *story);
}

std::optional<int64_t> StartPageData::roofs_measured() const {
  struct stat state {};
  std::string file = roofs_file(cache_folder_, backend_->target().hardware).string();
  if (::stat(file.c_str(), &state) != 0) return {};
  return int64_t(state.st_mtim.tv_sec);
}

}  // namespace tw::session
