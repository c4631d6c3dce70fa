#include "engine/session/views/padding_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/session/views/script_views.h"

namespace tw::session {
namespace {

constexpr int64_t kWide = 16;  // bytes
/// A row's stride becomes a multiple of one of these, and so many more.
constexpr int64_t kMultiples[] = {16, 32, 64, 128}, kMore[] = {4, 8, 16};  // bytes

/// The block that writes a tensor, and what it writes; nothing: several do, or none.
struct Writer {
  std::string block;
  ir::Buffer tensor;
};
std::optional<Writer> writer_of(ir::Program const& program, std::string const& tensor) {
  std::optional<Writer> found;
  int writers = 0;
  std::string block;
  ir::walk(program.body, [&](ir::Stmt const& s) {
    if (auto const* one = s.as<ir::Block>()) block = one->name;
    auto const* store = s.as<ir::Store>();
    if (!store || store->buffer->name != tensor) return true;
    writers += !found || found->block != block;
    found = Writer{block, store->buffer};
    return true;
  });
  return writers == 1 ? found : std::nullopt;
}

/// Average passes of a request, of loads or of stores.
double average(KernelLaunches const& kernel, std::string const& tensor, bool store) {
  double passes = 0, requests = 0;
  for (LaunchReport const& launch : kernel.launches)
    for (LaunchAccess const& one : launch.accesses) {
      if (one.tensor != tensor || one.store != store || !one.undecided.empty()) continue;
      passes += one.average * one.requests;
      requests += one.requests;
    }
  return requests > 0 ? passes / requests : -1;
}

int64_t shared_bytes(KernelLaunches const& kernel) {
  int64_t most = 0;
  for (LaunchReport const& launch : kernel.launches) most = std::max(most, launch.shared_bytes);
  return most;
}

struct Candidate {
  std::string line;
  bool rows_aligned = true;
};
/// Alignments of the stride of rows.
std::vector<Candidate> candidates(Writer const& writer) {
  std::vector<Candidate> all;
  int64_t element = int64_t(size_of(writer.tensor->type));
  int dim = int(writer.tensor->shape.size()) - 2;
  for (int64_t multiple : kMultiples)
    for (int64_t more : kMore) {
      if (dim < 0 || more < element || more >= multiple) continue;
      all.push_back({fmt::format("storage_align({}, dim={}, factor={}, offset={})", writer.block,
                                 dim, multiple / element, more / element),
                     more % kWide == 0});
    }
  return all;
}

class Trying {
public:
  Trying(Schedule const& schedule, Backend const& backend, std::string const& tensor,
         StopToken stop)
      : schedule_(schedule), backend_(backend), tensor_(tensor), stop_(stop) {}

  Result<KernelLaunches> launches_of(ir::Program const& program) const {
    return backend_.launches(split_load_time(program).at_run, false, stop_);
  }

  PaddingRow row_of(KernelLaunches const& now) const {
    return {.line = {}, .store = average(now, tensor_, true), .load = average(now, tensor_, false)};
  }

  PaddingRow tried(Candidate const& candidate, KernelLaunches const& now) const {
    PaddingRow row{.line = candidate.line, .rows_aligned = candidate.rows_aligned};
    auto steps = parse_steps(candidate.line, nullptr);
    if (!steps || steps->size() != 1) return row.refusal = "the block has no name", row;
    auto next = taken(schedule_, steps->front(), nullptr);
    if (!next) return row.refusal = next.error().message, row;
    auto made = launches_of(next->program());
    if (!made) return row.refusal = made.error().message, row;
    row.store = average(*made, tensor_, true);
    row.load = average(*made, tensor_, false);
    row.more_bytes = shared_bytes(*made) - shared_bytes(now);
    return row;
  }

private:
  Schedule const& schedule_;
  Backend const& backend_;
  std::string const& tensor_;
  StopToken stop_;
};

/// Whoever has the first row needs no second.
bool is_as_good(PaddingRow const& a, PaddingRow const& b) {
  if (!a.refusal.empty() || !b.refusal.empty()) return a.refusal == b.refusal;
  return a.store <= b.store && a.load <= b.load && a.more_bytes <= b.more_bytes &&
         a.rows_aligned >= b.rows_aligned;
}

double cost(PaddingRow const& row) { return std::max(row.store, 0.0) + std::max(row.load, 0.0); }

}  // namespace

PaddingsView paddings_view(Schedule const& schedule, Backend const& backend,
                           std::string const& tensor, StopToken stop) {
  PaddingsView view{.tensor = tensor, .rows = {}};
  auto writer = writer_of(schedule.program(), tensor);
  if (!writer) return view;
  Trying trying(schedule, backend, tensor, stop);
  auto now = trying.launches_of(schedule.program());
  if (!now) return view;
  view.rows.push_back(trying.row_of(*now));
  for (Candidate const& candidate : candidates(*writer)) {
    if (stop.stop_requested()) break;
    PaddingRow row = trying.tried(candidate, *now);
    if (std::ranges::any_of(view.rows, [&](auto const& one) { return is_as_good(one, row); }))
      continue;
    std::erase_if(view.rows,
                  [&](auto const& one) { return !one.line.empty() && is_as_good(row, one); });
    view.rows.push_back(std::move(row));
  }
  std::stable_sort(view.rows.begin() + 1, view.rows.end(),
                   [](PaddingRow const& a, PaddingRow const& b) {
                     if (a.refusal.empty() != b.refusal.empty()) return a.refusal.empty();
                     return std::pair(cost(a), a.more_bytes) < std::pair(cost(b), b.more_bytes);
                   });
  constexpr size_t kMost = 6;
  if (view.rows.size() > kMost) view.rows.resize(kMost);
  return view;
}

}  // namespace tw::session
